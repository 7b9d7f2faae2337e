"""Which symbols a text means: a name, an id, a place."""
