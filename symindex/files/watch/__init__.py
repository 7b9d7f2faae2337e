"""Reports changes in a source tree."""
