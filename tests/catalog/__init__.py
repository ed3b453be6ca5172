"""Tests of `snapdiff.catalog`."""
