"""What a refusal must say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from halidehw.errors import HardwareError


def refused(build: Callable[[], object], message: str, *legal: str, kind: type = HardwareError) -> None:
    with pytest.raises(kind) as caught:
        build()
    assert caught.value.message == message
    assert caught.value.legal == legal
    assert caught.value.source is not None
