"""Fetches items by their ids from spaces and registries, and checks their signatures."""
