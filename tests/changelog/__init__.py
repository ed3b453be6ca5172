"""Tests of `snapdiff.changelog`."""
