"""Opening files that others may have written: regular ones of bounded size, and below a root
nothing that leads out of it."""
