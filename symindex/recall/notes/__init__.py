"""What people and agents write down."""
