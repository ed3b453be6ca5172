"""The options of `snapdiff changelog`, and what they ask for."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import click
from msgspec import UNSET

from snapdiff.changelog.changelog_formats import (
    TEMPLATE,
    ChangelogFormat,
    chosen_format,
    without_effect,
)
from snapdiff.changelog.markers import GIVEN, ShapingOptions, filter_options
from snapdiff.changelog.periods import PERIODS, By
from snapdiff.changelog.sections import Settings
from snapdiff.cli.given_options import CommonOptions
from snapdiff.cli.shared_options import (
    color,
    configuration,
    narrowing,
    no_pager,
    package_url,
    pages,
    template_folder,
    together,
    verbose,
)
from snapdiff.errors import ReportError
from snapdiff.reports.options import PACKAGE_URL, ReportOptions

_DEFAULT_BY: By = "commit"

FROM_FILE = {"tag", "stack", "package", "kind", "group_by", "by"}
"""The options that a configuration file can decide."""

OF_FIRST_SEEN = {"tag", "stack", "package"}
"""Those of first sightings, which know no kinds of change and no sections."""


class ChangelogOptions(CommonOptions, frozen=True, kw_only=True):
    """The options of `snapdiff changelog`, under the names that click gives them."""

    by: By | None
    group_by: Literal["stack", "package"] | None
    detail: bool
    template: str | None
    first_seen: bool
    jobs: int
    configuration: str | None = None
    """The name of the configuration file that decides some of these."""

    def settings(self) -> Settings:
        """Return how snapshots are compared."""
        return Settings(
            filters=self.filters(),
            skip_bad_pages=self.skip_bad_pages,
            configuration=self.configuration or UNSET,
        )

    def looks(self) -> dict[str, str | None]:
        """Return the options that some formats have no use for, each with its value if given."""
        return {
            "group-by": self.group_by,
            "detail": GIVEN[0] if self.detail else None,
            "package-url": self.package_url,
            "template": self.template,
            "template-folder": self.template_folder,
            "color": self.color,
        }

    def chosen_format(
        self, known: Mapping[str, ChangelogFormat], *, on_terminal: bool
    ) -> ChangelogFormat:
        """Return the format; raises ReportError where there is none."""
        if self.template and self.format_name:
            reason = f"so -f {self.format_name} has no meaning"
            raise ReportError(f"--template replaces the format, {reason}")
        if self.template and not self.first_seen:
            return TEMPLATE
        return chosen_format(self.format_name, self.target(), known, on_terminal=on_terminal)

    def without_effect(
        self, chosen: ChangelogFormat, known: Mapping[str, ChangelogFormat]
    ) -> Iterator[str]:
        """Yield a line for each option that the format has no use for."""
        given = [name for name, value in self.looks().items() if value is not None]
        if self.color in ("auto", "never"):
            given.remove("color")
        return without_effect(chosen, known, given)

    def options(self, chosen: ChangelogFormat) -> ReportOptions:
        """Return how the changelog is to look: a file that is read as it is has no links in it."""
        links = PACKAGE_URL if chosen.name == "html" else ""
        return ReportOptions(
            group_by=self.group_by,
            detail=self.detail,
            package_url=links if self.package_url is None else self.package_url,
            templates=self.templates(),
            template=Path(self.template) if self.template else None,
        )

    def shaping(self) -> ShapingOptions:
        """Return the options that decide what is in a section."""
        given = {name: value for name, value in self.looks().items() if value is not None}
        given |= {"by": self.by} if self.by not in (None, _DEFAULT_BY) else {}
        given |= {"skip-bad-pages": GIVEN[0]} if self.skip_bad_pages else {}
        one_each = {name: (value,) for name, value in given.items() if name != "color"}
        return one_each | filter_options(self.filters())


changelog_options = together(
    click.option("-C", "--repo", default=".", metavar="DIR", help="Look RANGE up in DIR."),
    click.option("--by", type=click.Choice(PERIODS), help="A section each (default: commit)."),
    click.option(
        "-f",
        "--format",
        "format_name",
        metavar="FORMAT",
        help="markdown (default), text (default on a terminal), html, json or ndjson.",
    ),
    click.option("-o", "--output", metavar="FILE", help="Write to FILE, or keep it up to date."),
    narrowing,
    click.option(
        "--group-by",
        type=click.Choice(["stack", "package"]),
        help="In a section, one list for each stack, or one for all (default).",
    ),
    click.option("--detail", is_flag=True, help="Every spec, with hashes and what differs."),
    package_url,
    click.option(
        "--template",
        metavar="FILE",
        help="Write through a Jinja2 template (see docs/changelog.md).",
    ),
    template_folder,
    click.option(
        "--first-seen",
        is_flag=True,
        help="When each version was first and last seen; markdown, text, json or csv.",
    ),
    color,
    no_pager,
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=1,
        metavar="N",
        help="Spread sections over N processes.",
    ),
    configuration,
    pages,
    verbose("Say what was written; trace internal errors."),
)
"""All options of `snapdiff changelog`, in the order of its help."""
