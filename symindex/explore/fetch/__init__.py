"""Fetch: items by their ids, whole and proven: signatures, keys, copies, revisions, registries."""
