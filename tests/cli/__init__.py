"""Tests of `snapdiff.cli`."""
