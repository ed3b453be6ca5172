"""Pairs of packages become what happened: pairing, fields, packages, tags."""
