"""Where text goes: standard output, a pager, or a file; and what a signal undoes."""
