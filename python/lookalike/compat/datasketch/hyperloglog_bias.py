"""The bias correction of HyperLogLog++.

The figures are those of the appendix to "HyperLogLog in Practice: Algorithmic Engineering of a State of the Art Cardinality
Estimation Algorithm" (Heule, Nunkesser, Hall, EDBT 2013). The appendix measured, for each precision p, the mean raw estimate of
sets of up to 201 sizes, the largest about 5 · 2^p. `hyperloglog_bias.txt` has one line per precision: p, and then each size with
its mean estimate, as `size:estimate`. The appendix has two more precisions, 17 and 18, which datasketch's sketches cannot have.
"""

from __future__ import annotations

import importlib.resources
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

THRESHOLDS: Final = dict(
    zip(range(4, 17), (10, 20, 40, 80, 220, 400, 900, 1800, 3100, 6500, 11500, 20000, 50000), strict=True),
)
"""For each precision, the largest number of distinct values for which counting empty registers is better than the estimate."""

_NEIGHBOURS: Final = 6


def bias(estimate: float, p: int) -> float:
    """Return the expected error of a raw estimate: the mean of the six measured biases whose estimates are nearest."""
    estimates, biases = _measured(p)
    # A full sort, as in datasketch: among equally near estimates, which of them is used depends on numpy's sort.
    nearest = np.argsort((estimate - estimates) ** 2)[:_NEIGHBOURS]
    return float(np.mean(biases[nearest]))


_READ: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}


def _measured(p: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the mean estimates of a precision, and the bias of each."""
    if p not in _READ:
        _READ[p] = _read(p)
    return _READ[p]


def _read(p: int) -> tuple[NDArray[Any], NDArray[Any]]:
    lines = importlib.resources.files(__package__).joinpath("hyperloglog_bias.txt").read_text(encoding="ascii").splitlines()
    pairs = next(rest for first, *rest in map(str.split, lines) if first == str(p))
    sizes, estimates = (np.array(column, dtype=np.float64) for column in zip(*(pair.split(":") for pair in pairs), strict=True))
    # The appendix also lists the biases, with 15 significant digits. These are the same numbers.
    biases = np.array([float(f"{value:.15g}") for value in estimates - sizes])
    return estimates, biases
