"""The options of a request beside its query and its oldest filters."""
