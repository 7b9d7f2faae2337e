"""From a request to a page of hits."""
