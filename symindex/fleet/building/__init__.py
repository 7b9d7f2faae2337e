"""How repositories become objects; see README.md of the fleet."""
