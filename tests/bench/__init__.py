"""The benchmark suite: how fast symindex is, side by side with other tools; see `README.md`."""
