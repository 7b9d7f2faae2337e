"""The server for agents: the only folder that knows the MCP SDK."""
