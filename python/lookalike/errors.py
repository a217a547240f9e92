"""Exceptions: one class for each kind of refusal.

`Error` is the base of all. Those that refuse an argument are `ValueError` too. The message says what was asked, why it cannot be,
and what to do instead.

The first group is named after the core's kinds, and a test holds it to them; the second belongs to this package. The kinds of
runs over files come with these.
"""

from __future__ import annotations


class Error(Exception):
    """The base of all that this package refuses."""


class ConfigError(Error, ValueError):
    """A setting has a value that no setting of its name can have."""


class FormatError(Error, ValueError):
    """Stored bytes are not what they should be: of another kind, of another version, or damaged."""


# The core's kinds.


class ThresholdError(Error, ValueError):
    """A similarity threshold outside (0, 1]."""


class RecallError(Error, ValueError):
    """A wanted recall outside (0, 1)."""


class ShingleError(Error, ValueError):
    """A shingle of no tokens, or of more than the window holds."""


class DegreeError(Error, ValueError):
    """A fingerprint of too few bits, or of more than a machine word."""


class ShapeError(Error, ValueError):
    """Bands or rows outside what a signature can hold."""


class HalfShapeError(Error, ValueError):
    """Only one of bands and rows was given."""


class UnreachableError(Error, ValueError):
    """The asked bands and rows find fewer pairs at the threshold than the asked recall."""


class NoShapeError(Error, ValueError):
    """No bands and rows within the largest signature reach the recall."""


class NothingToEstimateError(Error, ValueError):
    """An estimate was asked for where no sketch is made."""


class GrowingModulusError(Error, ValueError):
    """A modulus that grows with the text was asked for where parts of texts are looked for."""


class SampledError(Error, ValueError):
    """A given modulus finds fewer pairs than the asked recall."""


class RunError(Error, ValueError):
    """A super-shingle of no elements, or so long that it finds fewer pairs than the asked recall; or none are asked for."""


class CommonError(Error, ValueError):
    """Everything would be set aside."""


class SuperThresholdError(Error, ValueError):
    """Super-shingles at a threshold that texts of unlike sizes reach."""


class TokensDistanceError(Error, ValueError):
    """A distance of token SimHashes does not follow from a resemblance of shingle sets."""


class GreedyContainmentError(Error, ValueError):
    """Greedy clusters estimate resemblance."""


class GreedyFindsError(Error, ValueError):
    """Greedy clusters have a way of their own of finding what is alike."""


class NoEstimateError(Error, ValueError):
    """Super-shingles were to be estimated from."""


class NoContainmentError(Error, ValueError):
    """Bands find what resembles, not what contains."""


class SimHashBitsError(Error, ValueError):
    """A SimHash of a width that is not offered."""


class SentencesError(Error, ValueError):
    """A digest of no sentences."""


class DistanceError(Error, ValueError):
    """A Hamming distance that all hashes are within."""


class BlocksError(Error, ValueError):
    """Too few blocks for a distance, or more than there are bits."""


class TablesError(Error, ValueError):
    """A plan of more tables than are allowed."""


class EmptySampleError(Error, ValueError):
    """A sketch that keeps nothing."""


class LevelError(Error, ValueError):
    """A modulus 2^level that a sketch cannot have."""


class ResemblanceError(Error, ValueError):
    """A resemblance outside [0, 1]."""


class MarginError(Error, ValueError):
    """A margin of an estimate outside (0, 1)."""


class ConfidenceError(Error, ValueError):
    """A wanted confidence outside (0, 1)."""


class NoSampleError(Error, ValueError):
    """No sample that is searched is known to be large enough."""


class TooManyClusteredError(Error, ValueError):
    """More fingerprints than greedy clusters can number."""


class UnlikeSketchesError(Error, ValueError):
    """Two sketches that were not made the same way."""


class NotBuiltError(Error, ValueError):
    """Something that this build was made without."""
