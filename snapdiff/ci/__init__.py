"""What the GitHub action and the GitLab component run."""
