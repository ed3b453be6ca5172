"""What was asked of a changelog: between which ends, narrowed to what, and how it is to look."""

from msgspec import Struct

from snapdiff.changelog.markers import ShapingOptions
from snapdiff.reports.options import ReportOptions
from snapdiff.result import Filters


class Asked(Struct, frozen=True, kw_only=True):
    """What all sections of a changelog have in common; `ends` are its first and last revision.

    `shaping` are the options that decide what is in a section, as its marker has them.
    `configuration` is the name of the configuration file that decided some of it, or None.
    """

    ends: tuple[str, str]
    filters: Filters
    options: ReportOptions
    shaping: ShapingOptions
    configuration: str | None = None
