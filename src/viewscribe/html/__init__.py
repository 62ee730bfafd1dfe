"""HTML: markup in which every text is escaped, and SQL with colours."""
