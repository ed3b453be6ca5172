"""Tests of `snapdiff.diff`."""
