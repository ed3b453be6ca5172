"""The tests of snapdiff."""
