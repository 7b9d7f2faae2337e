"""What a symbol is related to: callers, callees, types above and below it, tests."""
