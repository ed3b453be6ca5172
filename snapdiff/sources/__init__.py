"""Where bytes come from: directories, git revisions and mirrors, one file a kind."""
