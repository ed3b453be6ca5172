"""The command line: one file a command, options, output, exit statuses."""
