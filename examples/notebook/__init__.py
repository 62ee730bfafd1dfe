"""A notebook of ordinary PySpark, and the cells that make views of what is in it."""
