"""rensa's RMinHashLSH, in memory. It returns candidates, which are filtered by the similarity that the sketches estimate."""

from rensa import RMinHash, RMinHashLSH

import tool

SEED = 42


class Rensa(tool.Tool):
    persistent = False

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.lsh = RMinHashLSH(tool.THRESHOLD, tool.PERMUTATIONS, tool.BANDS)
        self.sketches: dict[int, RMinHash] = {}

    @staticmethod
    def sketch(text: str) -> RMinHash:
        """Returns the sketch of a text. `from_token_sets`, which is made for many texts, takes longer for one."""
        sketch = RMinHash(tool.PERMUTATIONS, SEED)
        sketch.update(tool.shingles(text))
        return sketch

    def fill(self, documents: tool.Documents) -> None:
        for batch in tool.batches(documents):
            sketches = RMinHash.from_token_sets([tool.shingles(text) for _, text in batch], tool.PERMUTATIONS, SEED)
            pairs = [(number, sketch) for (number, _), sketch in zip(batch, sketches, strict=True)]
            self.lsh.insert_pairs(pairs)
            self.sketches.update(pairs)

    def add(self, number: int, text: str) -> None:
        self.sketches[number] = self.sketch(text)
        self.lsh.insert(number, self.sketches[number])

    def query(self, text: str) -> list[int]:
        sketch = self.sketch(text)
        return [other for other in self.lsh.query(sketch) if sketch.jaccard(self.sketches[other]) >= tool.THRESHOLD]

    def delete(self, number: int) -> None:
        self.lsh.remove(number)
        del self.sketches[number]
