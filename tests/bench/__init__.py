"""The benchmark suite: how fast symindex is, side by side with what else does the work. `README.md`
explains it."""
