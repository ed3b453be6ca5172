"""Notes of a merge request on GitLab; the home of python-gitlab."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote

import gitlab

from snapdiff.posting.base import Comment, PostError
from snapdiff.posting.rest import SECONDS_FOR_AN_ANSWER, Answer, Query, RestInterface, json_or_text
from snapdiff.posting.target import Target, Token

_API = "/api/v4"


class GitLabNotes:
    """A `CommentHost`."""

    longest = 1_000_000

    def __init__(self, target: Target, token: Token) -> None:
        """Take where and as whom; nothing is asked yet. Raises PostError for another version."""
        if not target.api_url.endswith(_API):
            raise PostError(f"{target.api_url}: CI_API_V4_URL ends in {_API}")
        self.place = target.place
        self._gitlab = gitlab.Gitlab(
            target.api_url.removesuffix(_API),
            private_token=token.secret,
            user_agent="snapdiff",
            timeout=SECONDS_FOR_AN_ANSWER,
        )
        # The header with the token would go along to wherever a redirect leads.
        self._gitlab.session.max_redirects = 0
        self._gitlab.session.hooks["response"].append(self._remember)
        self._rest = RestInterface(target, token, self._send)
        project = quote(target.repository, safe="")
        self._request = f"/projects/{project}/merge_requests/{target.number}"
        self._notes = f"{self._request}/notes"

    def author(self) -> str:
        """Return the token's username; that of a project's token is its bot's."""
        return self._author

    @cached_property
    def _author(self) -> str:
        return self._rest.field(self._rest.ask("GET", "/user"), "username", str)

    @cached_property
    def _url(self) -> str:
        """The request's own page: a note has no address of its own in the interface."""
        return self._rest.field(self._rest.ask("GET", self._request), "web_url", str)

    def comments(self) -> list[Comment]:
        """Return the notes; those that GitLab writes, on commits and labels, are among them."""
        query: Query = {"per_page": 100, "order_by": "created_at", "sort": "asc"}
        return [self._comment(note) for note in self._rest.pages(self._notes, query)]

    def create(self, body: str) -> Comment:
        """Write a note."""
        return self._comment(self._rest.ask("POST", self._notes, body={"body": body}))

    def edit(self, comment: Comment, body: str) -> Comment:
        """Give a note another text."""
        path = f"{self._notes}/{comment.comment_id}"
        return self._comment(self._rest.ask("PUT", path, body={"body": body}))

    def delete(self, comment: Comment) -> None:
        """Delete a note."""
        self._rest.ask("DELETE", f"{self._notes}/{comment.comment_id}")

    def _comment(self, note: Any) -> Comment:
        field = self._rest.field
        comment_id = field(note, "id", int)
        return Comment(
            comment_id=comment_id,
            author=field(field(note, "author", dict), "username", str),
            body=field(note, "body", str),
            url=f"{self._url}#note_{comment_id}",
        )

    def _send(self, method: str, path: str, query: Query, body: Mapping[str, str] | None) -> Answer:
        try:
            response = self._gitlab.http_request(
                method.lower(),
                path,
                query_data=dict(query),
                post_data=dict(body) if body else None,
                obey_rate_limit=False,  # one place decides on new tries
            )
        except gitlab.GitlabError:
            # The error has no headers, which say how long to wait.
            response = self._last_response
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(
            status=response.status_code, headers=headers, data=json_or_text(response.text)
        )

    def _remember(self, response: Any, **_: object) -> None:
        self._last_response = response
