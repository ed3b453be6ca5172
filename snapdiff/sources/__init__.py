"""Where bytes come from: directories and git revisions, one file a kind."""
