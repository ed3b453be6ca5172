"""Sources read through formats: which package of one side belongs to which of the other."""
