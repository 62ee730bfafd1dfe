"""A catalog as a directory of files."""
