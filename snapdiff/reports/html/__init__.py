"""The HTML report: one file that needs nothing else."""
