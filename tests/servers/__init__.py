"""Real servers for tests: started in an empty directory, gone at the end."""
