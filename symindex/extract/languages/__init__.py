"""Languages as folders of text: how they are read, kept and asked."""
