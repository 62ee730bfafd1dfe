"""Stored documents: what they hold, how they are written and read, and their history."""
