"""Which repositories a fleet has, and what they are called."""
