"""Tests of `snapdiff.formats`."""
