"""Tests of `snapdiff.reports`."""
