"""Run the command: `python -m lookalike` does the same as `lookalike`."""

from __future__ import annotations

import signal
import sys
import threading

from lookalike import _lookalike


def main() -> int:
    """Run the command with the program's arguments and return its exit code: 0 for success, 1 if the answer is no, 2 for failure.

    While the command runs, a keyboard interrupt ends the process immediately, as it does for the `lookalike` program. Python
    itself would handle the interrupt only after the command has finished.
    """
    sys.stdout.flush()
    itself, arguments = [sys.executable, "-m", "lookalike"], ["lookalike", *sys.argv[1:]]
    if threading.current_thread() is not threading.main_thread():
        return _lookalike.main(itself, arguments)
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return _lookalike.main(itself, arguments)
    finally:
        signal.signal(signal.SIGINT, before)


if __name__ == "__main__":
    sys.exit(main())
