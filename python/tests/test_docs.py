"""All public names have docstrings."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import lookalike
import pytest


def public():
    modules = [lookalike]
    for found in pkgutil.walk_packages(lookalike.__path__, "lookalike."):
        if "._" not in found.name:
            modules.append(importlib.import_module(found.name))
    for module in modules:
        yield module.__name__, module
        for name in getattr(module, "__all__", vars(module)):
            value = getattr(module, name)
            if name.startswith("_") or not (inspect.isclass(value) or inspect.isroutine(value)):
                continue
            if not (getattr(value, "__module__", "") or "").startswith("lookalike"):
                continue
            yield f"{module.__name__}.{name}", value
            if inspect.isclass(value):
                for own in vars(value):
                    member = getattr(value, own)
                    # Slots need no docstring, because the docstring of their class describes them.
                    documented = inspect.isroutine(member) or inspect.isgetsetdescriptor(member)
                    if documented and not own.startswith("_"):
                        yield f"{module.__name__}.{name}.{own}", member


DOCUMENTED = sorted(dict(public()).items())


@pytest.mark.parametrize(("name", "value"), DOCUMENTED, ids=[name for name, _ in DOCUMENTED])
def test_it_has_a_docstring(name, value):
    words = inspect.getdoc(value) or ""
    assert len(words) > 10, name
    assert words.split("\n\n")[0].rstrip().endswith((".", ":", "of:")), words


def test_signatures_can_be_inspected():
    for name in lookalike.__all__:
        value = getattr(lookalike, name)
        if inspect.isroutine(value):
            assert inspect.signature(value) is not None
    assert str(inspect.signature(lookalike.MinHash)) == "(slots=None, permutations=None, **config)"
    assert str(inspect.signature(lookalike.MinHash.signatures)) == "(self, items, /, threads=0)"
