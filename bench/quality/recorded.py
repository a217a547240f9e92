"""Writes the results of a comparison, with the date and the machine."""

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path


def write(path: Path, figures: dict[str, object]) -> None:
    """Writes the results as JSON, after the date, the machine and its number of cores."""
    seen = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
    }
    path.write_text(json.dumps({**seen, **figures}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
