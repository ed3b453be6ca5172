"""What bytes mean: one file a kind of document, and a registry of them."""
