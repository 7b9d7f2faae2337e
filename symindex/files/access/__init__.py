"""Opening what others have written: regular files of bounded size, and below a root nothing that leads out of it."""
