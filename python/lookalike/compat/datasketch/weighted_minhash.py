"""`WeightedMinHash`: signatures of multisets, with datasketch's hash values."""

from __future__ import annotations

import collections.abc
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WeightedMinHash:
    """A weighted MinHash signature: for each sample, a dimension and a number.

    Args:
        seed: the seed of the generator that made the signature.
        hashvalues: an array of the shape (samples, 2).

    """

    def __init__(self, seed: int, hashvalues: NDArray[Any]) -> None:
        self.seed = seed
        self.hashvalues = hashvalues

    def jaccard(self, other: WeightedMinHash) -> float:
        """Return the estimated weighted resemblance: the share of samples that agree.

        Raises:
            ValueError: if the other signature has a different seed or length.

        """
        if other.seed != self.seed:
            raise ValueError("Cannot compute Jaccard given WeightedMinHash objects with different seeds")
        if len(self) != len(other):
            raise ValueError("Cannot compute Jaccard given WeightedMinHash objects with different numbers of hash values")
        same = np.asarray(self.hashvalues) == np.asarray(other.hashvalues)
        return float(np.count_nonzero(same.reshape(len(self), -1).all(axis=1))) / float(len(self))

    def digest(self) -> NDArray[Any]:
        """Return a copy of the hash values."""
        return self.hashvalues.copy()

    def copy(self) -> WeightedMinHash:
        """Return a copy."""
        return WeightedMinHash(self.seed, self.digest())

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WeightedMinHash)
            and type(self) is type(other)
            and self.seed == other.seed
            and np.array_equal(self.hashvalues, other.hashvalues)
        )

    __hash__ = None  # type: ignore[assignment]


class WeightedMinHashGenerator:
    """A maker of weighted MinHash signatures of frequency vectors (Ioffe 2010).

    Args:
        dim: the number of dimensions of a vector. sample_size: the number of samples in a signature. seed: the seed of numpy's
            legacy generator.

    """

    def __init__(self, dim: int, sample_size: int = 128, seed: int = 1) -> None:
        self.dim = dim
        self.sample_size = sample_size
        self.seed = seed
        generator = np.random.RandomState(seed=seed)
        shape = (sample_size, dim)
        self.rs = generator.gamma(2, 1, shape).astype(np.float32)
        self.ln_cs = np.log(generator.gamma(2, 1, shape)).astype(np.float32)
        self.betas = generator.uniform(0, 1, shape).astype(np.float32)

    def minhash(self, v: Any) -> WeightedMinHash:
        """Return the signature of a vector, which is not changed.

        Cost: the number of samples times the number of nonzero dimensions.

        Raises:
            TypeError: if the vector has no length.
            ValueError: if its length is not `dim`, or all its values are 0.

        """
        if not isinstance(v, collections.abc.Sized):
            raise TypeError("Input vector must be sized")
        if len(v) != self.dim:
            raise ValueError(f"Input dimension mismatch, expecting {self.dim}")
        vector = np.asarray(v, dtype=np.float32)
        present = np.flatnonzero(vector)
        if not len(present):
            raise ValueError("Input is all zeros")
        rs, betas, ln_cs = self.rs[:, present], self.betas[:, present], self.ln_cs[:, present]
        t = np.floor(np.log(vector[present]) / rs + betas)
        ln_a = ln_cs - (t - betas) * rs - rs
        return self._signature(present, np.nanargmin(ln_a, axis=1), t)

    def minhash_many(self, X: Any) -> list[WeightedMinHash | None]:  # noqa: N803 - datasketch's name
        """Return the signatures of the rows of an array or a scipy sparse matrix, with None for a row of zeros.

        As in datasketch, the hash values differ from those of `minhash`.

        Raises:
            TypeError: if `X` is not a matrix.
            ValueError: if `X` does not have two dimensions, or its second dimension is not `dim`.

        """
        sparse = hasattr(X, "tocsr")
        if not (sparse or isinstance(X, np.ndarray)):
            raise TypeError("Input X must be a sparse matrix or numpy matrix")
        if X.ndim != 2:
            raise ValueError("Input must have two dimensions")
        if X.shape[1] != self.dim:
            raise ValueError(f"Input dimension mismatch, expecting {self.dim}")
        rows = X.tocsr() if sparse else X
        return [self._of_row(rows[i].toarray()[0] if sparse else rows[i]) for i in range(X.shape[0])]

    def _of_row(self, row: Any) -> WeightedMinHash | None:
        vector = np.asarray(row, dtype=np.float32)
        present = np.flatnonzero(vector)
        if not len(present):
            return None
        rs, betas, ln_cs = self.rs[:, present], self.betas[:, present], self.ln_cs[:, present]
        t = np.floor(np.log(vector[present]) / rs + betas)
        ln_a = ln_cs - (t - betas + 1) * rs
        return self._signature(present, np.argmin(ln_a, axis=1), t)

    def _signature(self, present: NDArray[Any], least: NDArray[Any], t: NDArray[Any]) -> WeightedMinHash:
        hashvalues = np.zeros((self.sample_size, 2), dtype=int)
        hashvalues[:, 0] = present[least]
        hashvalues[:, 1] = t[np.arange(self.sample_size), least]
        return WeightedMinHash(self.seed, hashvalues)
