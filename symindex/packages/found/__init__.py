"""The packages of a project, whatever the ecosystem."""
