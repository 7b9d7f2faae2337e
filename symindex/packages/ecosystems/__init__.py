"""One module per ecosystem: what a project depends on, and where its packages are installed."""
