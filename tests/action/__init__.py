"""The action, the component and what they run."""
