"""Where each ecosystem says what a project depends on, and where it installs it."""
