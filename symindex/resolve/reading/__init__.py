"""What files say: locations with their texts, chains of names, and the stored bindings."""
