"""The contracts that all front ends share: kinds of symbols, requests and responses."""
