"""Notes: what people and agents write down, kept until they delete it."""
