"""From a query tree to a page of hits."""
