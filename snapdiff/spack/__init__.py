"""Spack's own rules: version order, notation, targets."""
