"""Catalogues of many repositories, and bringing these up to date."""
