"""The pages of a site, a module for each kind."""
