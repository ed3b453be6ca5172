"""Files of object stores, and of this machine by URL; the only home of fsspec."""

import contextlib
import logging
import os
from collections.abc import Iterator
from functools import partial
from typing import Any

from snapdiff.sources.download import (
    CHUNK,
    REFUSED,
    Answer,
    NotThereError,
    TransferError,
)
from snapdiff.sources.source import Validators

for _library in ("aiohttp", "asyncio", "botocore", "fsspec", "gcsfs", "google", "s3fs"):
    # Log messages would be printed to standard error otherwise.
    logging.getLogger(_library).addHandler(logging.NullHandler())
_STORE_CHUNK = 8 * CHUNK  # each is a request of its own


class FileTransport:
    """Files of this machine."""

    @contextlib.contextmanager
    def open(self, url: str, known: Validators) -> Iterator[Answer]:
        """Yield the file, to be read as long as the block runs."""
        del known  # a file has none
        path = url.removeprefix("file://")
        if not os.path.isfile(path):
            raise NotThereError
        with _in_own_words():
            file = open(path, "rb")  # noqa: SIM115 - closed below
        with file:
            size = os.fstat(file.fileno()).st_size
            yield Answer(Validators(), _chunks_of_file(file, size), size)


class StoreTransport:
    """Files of an object store."""

    def __init__(self, scheme: str, silence: float) -> None:
        """Take which store it is, and how many seconds it may be silent; raises ImportError."""
        import fsspec

        self._silence = silence
        self._new = partial(fsspec.filesystem, scheme)
        self._is_s3 = scheme == "s3"
        self._filesystem = self._s3() if self._is_s3 else self._new()

    def _s3(self, **options: Any) -> Any:
        """Return S3 that tries once: how often to try again is decided in one place for all."""
        config = {
            "connect_timeout": self._silence,
            "read_timeout": self._silence,
            "retries": {"max_attempts": 0},
        }
        filesystem = self._new(config_kwargs=config, **options)
        filesystem.retries = 1
        return filesystem

    @contextlib.contextmanager
    def open(self, url: str, known: Validators) -> Iterator[Answer]:
        """Yield the answer, to be read as long as the block runs."""
        with _in_own_words():
            facts = self._facts(url)
        if facts["type"] != "file":
            raise NotThereError
        etag = facts.get("ETag") or facts.get("etag")
        if etag and etag == known.etag:
            yield Answer(known, None)
            return
        with _in_own_words():
            file = self._filesystem.open(url, "rb", block_size=_STORE_CHUNK, cache_type="none")
        with file:
            chunks = _chunks_of_file(file, facts["size"])
            yield Answer(Validators(etag), chunks, facts["size"])

    def _facts(self, url: str) -> dict[str, Any]:
        try:
            facts: dict[str, Any] = self._filesystem.info(url)
        except Exception as error:
            # Who has no credentials at all is a guest; a public mirror needs none.
            if not self._is_s3 or type(error).__name__ != "NoCredentialsError":
                raise
            self._filesystem = self._s3(anon=True)
            facts = self._filesystem.info(url)
        return facts


def _chunks_of_file(file: Any, size: int) -> Iterator[bytes]:
    while size > 0:
        with _in_own_words():
            chunk: bytes = file.read(min(_STORE_CHUNK, size))
        if not chunk:
            raise TransferError("it broke off in the middle", again=True)
        size -= len(chunk)
        yield chunk


@contextlib.contextmanager
def _in_own_words() -> Iterator[None]:
    """Turn what a library raises into a TransferError or a NotThereError.

    Each store's library has exceptions of its own, so all of them are taken.
    """
    try:
        yield
    except (NotThereError, TransferError):
        raise
    except FileNotFoundError as error:
        raise NotThereError from error
    except PermissionError as error:
        raise NotThereError(403) from error
    except TimeoutError as error:
        raise TransferError("the server was silent for too long", again=True) from error
    except Exception as error:
        status = getattr(error, "code", None)  # gcsfs refuses a guest with an error of its own
        if status in REFUSED:
            raise NotThereError(status) from error
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise TransferError(f"the server cannot be reached ({reason})", again=True) from error
