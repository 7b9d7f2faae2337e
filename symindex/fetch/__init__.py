"""Items by their ids: from the spaces, from registries, with their signatures."""
