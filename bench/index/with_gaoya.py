"""gaoya's MinHashStringIndex, in memory. It cuts the shingles itself, and returns what it estimates to be similar."""

from gaoya.minhash import MinHashStringIndex

import tool


class Gaoya(tool.Tool):
    persistent = False

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.index = MinHashStringIndex(
            hash_size=32,
            jaccard_threshold=tool.THRESHOLD,
            num_bands=tool.BANDS,
            band_size=tool.ROWS,
            analyzer="word",
            ngram_range=(tool.NGRAM, tool.NGRAM),
            # Its documentation advises this container if documents are removed.
            id_container="set",
        )

    def fill(self, documents: tool.Documents) -> None:
        for batch in tool.batches(documents):
            numbers, texts = zip(*batch, strict=True)
            self.index.par_bulk_insert_docs(list(numbers), list(texts))

    def add(self, number: int, text: str) -> None:
        self.index.insert_document(number, text)

    def query(self, text: str) -> list[int]:
        return self.index.query(text)

    def delete(self, number: int) -> None:
        self.index.remove(number)
