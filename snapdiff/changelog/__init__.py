"""The story of a catalog over many snapshots: its sections, and a file that is kept up to date."""
