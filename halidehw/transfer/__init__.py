"""Schedules found for one network, given to another one."""

from halidehw.transfer.bank import Bank, Entry, add, load_bank
from halidehw.transfer.choice import Profile, evaluations, pairs, ranking, score
from halidehw.transfer.kernels import kind
from halidehw.transfer.transfer import Choice, Transferred, searched, transfer

__all__ = [
    "Bank", "Choice", "Entry", "Profile", "Transferred", "add", "evaluations", "kind", "load_bank", "pairs", "ranking",
    "score", "searched", "transfer",
]  # fmt: skip
