"""The configuration file of a catalog: what it may say, and how it is read. Nothing is opened."""
