"""The contract that all doors share: symbol kinds, requests, responses."""
