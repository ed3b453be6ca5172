"""Tests of `snapdiff.sources`."""
