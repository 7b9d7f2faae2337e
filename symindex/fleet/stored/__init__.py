"""What lies in a store; see README.md of the fleet."""
