"""What has changed since a commit: symbols, not lines."""
