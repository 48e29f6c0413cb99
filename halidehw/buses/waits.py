"""How long the adapters before a bus wait, in cycles, as the hardware and its model have it."""

from __future__ import annotations

QUEUED = 3
"""From an entry's way into a queue until it is the first one."""

WAIT = 16
"""After which a burst is asked for, though the next request might prolong it, while another is under way."""

IDLE = 8
"""Without a word after which what is there is written, while another burst is under way."""
