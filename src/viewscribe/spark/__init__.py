"""The only room that imports pyspark: trees and DataFrames, both ways, and verification."""
