"""Tests against the Hive metastores that people have; ``make metastores`` runs them."""
