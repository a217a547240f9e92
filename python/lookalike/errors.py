"""Exceptions: one class for each kind of refusal.

`Error` is the base of all. Those that refuse an argument are `ValueError` too. The message says what was asked, why it cannot be,
and what to do instead.

First those that belong to this package; then a group that is named after the core's kinds, and one that is named after those of
runs over collections: a test holds them to these.
"""

from __future__ import annotations

import builtins as _builtins

from lookalike import _lookalike


class Error(Exception):
    """The base of all that this package refuses.

    Its message is on one line, with control characters of data and names written out, and of bounded length: it may be printed
    on a terminal, whatever the data is.
    """

    def __init__(self, *words: object) -> None:
        super().__init__(*(_lookalike.message(word) if isinstance(word, str) else word for word in words))


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


class LanguageError(Error, ValueError):
    """A language of which no stop words are known."""


class AnchoredError(Error, ValueError):
    """Shingles that begin with stop words, where tokens are no words or fingerprints are made of parts of words."""


class SetError(Error, ValueError):
    """Steps of texts, such as shingles of several words, where documents are sets."""


class RunLengthError(Error, ValueError):
    """Passages of no tokens, or longer than can be looked for."""


class NotBuiltError(Error, ValueError):
    """Something that this build was made without."""


# The kinds of runs over collections. `ConfigError` above is one of them.


class InputError(Error, OSError):
    """An input cannot be found, opened, read or decompressed; or it has no such column."""


class RecordError(Error, ValueError):
    """A document is no usable record: a text that is no string, an id that another has."""


class OutputError(Error, OSError):
    """An output cannot be written."""


class BrokenPipeError(Error, _builtins.BrokenPipeError):  # noqa: A001
    """Whoever read an output has gone."""


class TemporaryError(Error, OSError):
    """Temporary files cannot be written or read."""


class InterruptedError(Error, _builtins.InterruptedError):  # noqa: A001
    """A run was ended from outside; what ended it is raised instead wherever it is known, such as `KeyboardInterrupt`."""


class InternalError(Error, RuntimeError):
    """A fault of lookalike's own: please report it."""


class EvaluationError(Error, RuntimeError):
    """A run of `evaluate` failed, each of which is a process of its own: what it said."""
