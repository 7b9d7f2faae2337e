"""The front ends: they convert requests and answers, call the workspace, and contain no other
logic."""
