"""What a project knows beside its code: notes, added content, questions about all of it."""
