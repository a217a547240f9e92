"""lookalike.Index: a folder with the texts and the decisions about them. Each change is on the disk when its call returns."""

import lookalike

import tool


class Lookalike(tool.Tool):
    def fill(self, documents: tool.Documents) -> None:
        self.index = lookalike.Index.create(self.place, threshold=tool.THRESHOLD, shingle=tool.NGRAM)
        numbers, texts = zip(*documents, strict=True)
        self.index.add(list(texts), ids=numbers)

    def open(self) -> None:
        self.index = lookalike.Index(self.place)

    def add(self, number: int, text: str) -> None:
        self.index.add([text], ids=[number])

    def query(self, text: str) -> list[int]:
        return [found.id for found in self.index.query(text)]

    def delete(self, number: int) -> int:
        return self.index.delete(number).changed

    def close(self) -> None:
        self.index.close()
