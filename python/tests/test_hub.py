"""Datasets on the Hugging Face Hub, which are loaded or downloaded first."""

from __future__ import annotations

import lookalike
import pytest
from datasets import Dataset, load_dataset

pytestmark = pytest.mark.slow

TEXTS = [f"a text about the subject number {number // 2} and about nothing else at all" for number in range(8)]


def test_the_error_says_how_to_read_a_dataset():
    with pytest.raises(lookalike.errors.InputError) as error:
        lookalike.dedup("hf://datasets/user/name/data/train-0.parquet")
    message = str(error.value)
    assert "hf download user/name --repo-type dataset --include data/train-0.parquet --local-dir name" in message
    assert 'lookalike.dedup(datasets.load_dataset("user/name", split="train"))' in message


def test_both_ways_give_the_same_rows(tmp_path):
    folder = tmp_path / "name" / "data"
    folder.mkdir(parents=True)
    for part in range(2):
        Dataset.from_dict({"text": TEXTS[part::2]}).to_parquet(folder / f"train-{part}.parquet")
    files = [str(folder / f"train-{part}.parquet") for part in range(2)]
    dataset = load_dataset("parquet", data_files=files, split="train", cache_dir=str(tmp_path / "cache"))
    kept, report = lookalike.dedup(dataset)
    output, of_files = lookalike.dedup(tmp_path / "name", output=tmp_path / "kept.parquet")
    assert list(kept["text"]) == list(Dataset.from_parquet(str(output), cache_dir=str(tmp_path / "cache"))["text"])
    assert report.summary["kept"] == of_files.summary["kept"] == 4
