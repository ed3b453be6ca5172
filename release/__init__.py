"""What a release is made of, beside the package itself."""
