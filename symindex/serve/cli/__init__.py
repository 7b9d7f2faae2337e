"""The command line. No other package imports click."""
