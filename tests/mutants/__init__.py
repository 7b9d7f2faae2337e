"""Mutants by lot: small changes that cosmic-ray's operators make, and the tests that notice them."""
