"""Rewrites: tree in, tree out."""
