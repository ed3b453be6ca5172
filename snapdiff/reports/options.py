"""What a caller may ask of a report."""

from msgspec import Struct


class ReportOptions(Struct, frozen=True, kw_only=True):
    """How a report is to look; a format ignores what has no meaning for it."""
