"""Pairs of packages become what happened: pairing, fields, packages, tags.

What reads nodes of a graph raises FormatError where one cannot be read.
"""
