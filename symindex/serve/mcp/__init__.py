"""The MCP server for agents. No other package imports the MCP SDK."""
