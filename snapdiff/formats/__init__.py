"""What bytes mean: catalog formats, one file a kind."""
