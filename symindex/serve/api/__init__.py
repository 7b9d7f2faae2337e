"""Requests and responses as JSON over HTTP: the service, and the client of one."""
