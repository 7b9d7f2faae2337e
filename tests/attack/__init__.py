"""Campaigns of attacks: each does to symindex at random what an enemy or a bad disk would do, and says what came of it."""
