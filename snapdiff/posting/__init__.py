"""One comment on a pull or merge request, kept up to date: the only room that writes elsewhere."""
