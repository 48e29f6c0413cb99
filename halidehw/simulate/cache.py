"""A folder of finished results, each made once: content-addressed, atomic, safe with many processes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from halidehw.errors import SimulationError

_KEEP = 512


def cache_folder() -> Path:
    """$HALIDEHW_CACHE, or `halidehw` in the user's cache folder."""
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("HALIDEHW_CACHE") or user / "halidehw").resolve()


def stored(kind: str, key: tuple[str, ...], make: Callable[[Path], None]) -> Path:
    """The folder of `key`, made by `make(folder)` unless it is there.

    `make` fills a private folder, which appears under its final name only when complete; if `make` raises, nothing
    is left. Two processes do not make the same at once. Raises SimulationError where the cache cannot be written.
    """
    root = cache_folder() / kind
    digest = hashlib.sha256("\0".join(key).encode()).hexdigest()[:32]
    folder = root / digest
    with suppress(FileNotFoundError, NotADirectoryError):
        os.utime(folder)
        return folder
    private = _private(root)
    try:
        with _alone(root, digest):
            if not folder.exists():
                make(private)
                with suppress(OSError):
                    private.rename(folder)
    finally:
        shutil.rmtree(private, ignore_errors=True)
    _prune(root)
    return folder


@contextmanager
def _alone(root: Path, digest: str) -> Iterator[None]:
    """One process at a time makes what has this digest; another one that wants it waits."""
    with root.with_suffix(".lock").open("a") as file:
        fcntl.lockf(file, fcntl.LOCK_EX, 1, int(digest[:8], 16))
        yield


def _private(root: Path) -> Path:
    """A new folder in a part of the cache. Raises SimulationError where there can be none."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=".making-", dir=root))
    except OSError as error:
        named = "HALIDEHW_CACHE" if os.environ.get("HALIDEHW_CACHE") else "the cache"
        raise SimulationError(
            f"simulators are kept in {cache_folder()} ({named}), which is no folder to write to: {error.strerror}",
            legal=(f"export HALIDEHW_CACHE={Path(tempfile.gettempdir(), 'halidehw')}",),
        ) from None


def _prune(root: Path) -> None:
    """Remove the least recently used results beyond a fixed number."""
    found = [entry for entry in os.scandir(root) if not entry.name.startswith(".")]
    if len(found) > _KEEP:
        for entry in sorted(found, key=_used)[: len(found) - _KEEP]:
            shutil.rmtree(entry.path, ignore_errors=True)


def _used(entry: os.DirEntry[str]) -> float:
    """When a result was last used; one that another process has just removed, long ago."""
    try:
        return os.stat(entry.path).st_mtime
    except FileNotFoundError:
        return 0.0
