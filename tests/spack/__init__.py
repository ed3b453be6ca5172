"""Tests of `snapdiff.spack`."""
