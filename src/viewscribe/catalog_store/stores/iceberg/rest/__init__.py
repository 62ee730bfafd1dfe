"""Views in an Iceberg REST catalog, over HTTP and without a JVM.

The protocol: https://iceberg.apache.org/rest-catalog-spec/; the views: .../view-spec/.
"""
