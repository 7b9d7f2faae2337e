"""Parses source to syntax trees and runs queries over them: the only package that imports
tree-sitter."""
