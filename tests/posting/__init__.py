"""`snapdiff post`, against servers that speak what GitHub, Gitea and GitLab speak."""
