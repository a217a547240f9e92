"""Lance: a table with a MINHASHLSH index of its texts, and a BTREE index of its ids for deleting."""

import lance
import pyarrow
from lance.indices import IndexConfig
from lance.query import MinHashQuery

import tool

MOST = 1000
"""The greatest number of answers to a query: more than any text of this benchmark has."""
LSH = {"num_hashes": tool.PERMUTATIONS, "num_bands": tool.BANDS, "shingle_size": tool.NGRAM}


def table(documents: tool.Documents) -> pyarrow.Table:
    """Returns the rows of documents."""
    numbers, texts = zip(*documents, strict=True)
    return pyarrow.table({"id": pyarrow.array(numbers, pyarrow.int64()), "text": list(texts)})


class Lance(tool.Tool):
    def fill(self, documents: tool.Documents) -> None:
        self.data = lance.write_dataset(table(documents), self.place)
        # As keywords of create_scalar_index, these settings would be ignored without an error.
        self.data.create_scalar_index("text", IndexConfig(index_type="minhashlsh", parameters=LSH))
        self.data.create_scalar_index("id", "BTREE")

    def open(self) -> None:
        self.data = lance.dataset(self.place)

    def add(self, number: int, text: str) -> None:
        self.data.insert(table([(number, text)]))

    def settle(self) -> None:
        self.data.optimize.compact_files()
        self.data.optimize.optimize_indices()

    def query(self, text: str) -> list[int]:
        found = self.data.to_table(nearest=MinHashQuery(text, "text"), columns=["id", "_distance"], limit=MOST).to_pydict()
        # A distance is a multiple of 1/128 in single precision.
        most = 1 - tool.THRESHOLD + 1e-6
        return [number for number, distance in zip(found["id"], found["_distance"], strict=True) if distance <= most]

    def delete(self, number: int) -> None:
        self.data.delete(f"id = {number}")
