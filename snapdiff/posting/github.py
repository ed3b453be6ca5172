"""Comments of a pull request on GitHub, and on what speaks its language; the home of PyGithub.

GitHub Enterprise differs in its address alone. Gitea's and Forgejo's comments have no `url` of
their own, which PyGithub's classes need; so requests are made of numbers, and go through its
requester, as PyGithub means it for what its classes do not have.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import github

from snapdiff.posting.base import Comment, NotFoundError, RefusedError
from snapdiff.posting.rest import SECONDS_FOR_AN_ANSWER, Answer, Query, RestInterface, json_or_text
from snapdiff.posting.target import Target, Token

_WHO_ASKS = {"query": "query { viewer { login } }"}


class GitHubComments:
    """A `CommentHost`."""

    longest = 65_536

    def __init__(self, target: Target, token: Token) -> None:
        """Take where and as whom; nothing is asked yet."""
        self.place = target.place
        self._requester = github.Github(
            auth=github.Auth.Token(token.secret),
            base_url=target.api_url,
            user_agent="snapdiff",
            timeout=SECONDS_FOR_AN_ANSWER,
            # One place decides on new tries, and knows that a comment may be there already.
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
        ).requester
        self._rest = RestInterface(target, token, self._send)
        self._issues = f"/repos/{target.repository}/issues"
        self._of_request = f"{self._issues}/{target.number}/comments"

    def author(self) -> str:
        """Return the token's login; that of an app ends in `[bot]`, as in its comments."""
        return self._author

    @cached_property
    def _author(self) -> str:
        # The token of a workflow, and of any app, is no user's: GET /user refuses it with 403.
        # GraphQL's `viewer` is its bot, `github-actions[bot]` for a workflow's own token. Gitea
        # has no GraphQL, and answers GET /user for every token.
        try:
            return self._rest.field(self._rest.ask("GET", "/user"), "login", str)
        except (RefusedError, NotFoundError):
            answer = self._rest.ask("POST", self._requester.graphql_url, body=_WHO_ASKS)
        viewer = self._rest.field(self._rest.field(answer, "data", dict), "viewer", dict)
        return self._rest.field(viewer, "login", str).removesuffix("[bot]") + "[bot]"

    def comments(self) -> list[Comment]:
        """Return the comments; reviews, and comments on lines of a file, are not among them."""
        return [
            self._comment(item) for item in self._rest.pages(self._of_request, {"per_page": 100})
        ]

    def create(self, body: str) -> Comment:
        """Write a comment."""
        return self._comment(self._rest.ask("POST", self._of_request, body={"body": body}))

    def edit(self, comment: Comment, body: str) -> Comment:
        """Give a comment another text."""
        path = f"{self._issues}/comments/{comment.comment_id}"
        return self._comment(self._rest.ask("PATCH", path, body={"body": body}))

    def delete(self, comment: Comment) -> None:
        """Delete a comment."""
        self._rest.ask("DELETE", f"{self._issues}/comments/{comment.comment_id}")

    def _comment(self, item: Any) -> Comment:
        field = self._rest.field
        user = item.get("user") if isinstance(item, dict) else None  # null: it was deleted
        return Comment(
            comment_id=field(item, "id", int),
            author=field(user, "login", str) if user else "",
            body=field(item, "body", str) if item.get("body") is not None else "",
            url=field(item, "html_url", str),
        )

    def _send(self, method: str, path: str, query: Query, body: Mapping[str, str] | None) -> Answer:
        status, headers, text = self._requester.requestJson(
            method, path, parameters=dict(query), input=body
        )
        return Answer(status=status, headers=headers, data=json_or_text(text))
