"""What a symbol is related to: types above and below it, what calls it, what it calls, what tests it."""
