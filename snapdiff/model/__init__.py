"""What was loaded: specs and how they were built, dependencies, packages, counts."""
