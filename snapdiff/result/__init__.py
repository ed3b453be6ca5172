"""What happened, in the shape of the JSON report (docs/specification.md, section 7)."""
