"""What a refusal must say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from halidehw.errors import HalideHWError, HardwareError


def refused(build: Callable[[], object], message: str, *legal: str, kind: type = HardwareError) -> None:
    with pytest.raises(kind) as caught:
        build()
    assert caught.value.message == message
    assert caught.value.legal == legal
    assert caught.value.source is not None


def proposed(of: Callable[[], object], kind: type[HalideHWError], message: str, *proposals: str) -> None:
    """What is proposed is as it was given, not yet in the notation of the line."""
    with pytest.raises(kind) as caught:
        of()
    assert caught.value.message == message
    assert caught.value.proposed == proposals
