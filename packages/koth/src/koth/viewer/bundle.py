"""A bundler of ES modules into one script: for exported files, which can't import modules, and for faster pages.

The bundler supports the few forms of `import` and `export` in koth's modules and the games' pictures, and refuses
other forms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from koth.errors import KothError

_IMPORT = re.compile(r'^import\s+(\{[^}]*\}|\*\s+as\s+\w+)\s+from\s+"\./([\w.-]+)";$', re.M)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|const|class)\s+(\w+)", re.M)
_UNKNOWN = re.compile(r"^\s*(?:import|export)\b(?!\s*[(.]).*", re.M)
_OF_MODULES = re.compile(r"\bimport\s*[(.].*")
"""Forms that only modules may use."""


class BundleError(KothError):
    """Raised when a module can't be bundled."""


def bundle(entry: str, modules: Mapping[str, str], *, is_module: bool = False) -> str:
    """Return one strict script that runs the module `entry`; `modules` maps file names to sources.

    Every module becomes a function, in the order of imports. Raises BundleError for missing modules, circular
    imports, and other forms of import and export. With `is_module` the script is a module in the place of `entry`,
    which may import more while it runs.
    """
    done: dict[str, str] = {}
    _visit(entry, modules, done, (), None if is_module else _OF_MODULES)
    return '(() => {\n"use strict";\n' + "\n".join(done.values()) + "\n})();\n"


def _visit(
    name: str,
    modules: Mapping[str, str],
    done: dict[str, str],
    above: tuple[str, ...],
    refused: re.Pattern[str] | None,
) -> None:
    if name in done:
        return
    if name in above:
        raise BundleError(f"{name} and {above[-1]} import each other")
    if name not in modules:
        raise BundleError(f"there is no {name} to import")
    source = modules[name]
    for match in _IMPORT.finditer(source):
        _visit(match[2], modules, done, (*above, name), refused)
    exported = [match[2] for match in _EXPORT.finditer(source)]
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(_rewrite_import, source))
    code = re.sub(r"^\s*(?://|\*|/\*).*", "", body, flags=re.M)
    left = _UNKNOWN.search(code) or (refused and refused.search(code))
    if left:
        raise BundleError(f"{name}: an import or export that can't be bundled: {left[0].strip()[:80]}")
    body = body if refused else code  # comments of pages' scripts stay behind; a game's picture may have other forms
    done[name] = f"const {_variable(name)} = (() => {{\n{body}\nreturn {{{', '.join(exported)}}};\n}})();"


def _rewrite_import(match: re.Match[str]) -> str:
    """Return an import as a constant, with the same number of lines."""
    what = match[1]
    names = what.split()[-1] if what.startswith("*") else re.sub(r"(\w+)\s+as\s+(\w+)", r"\1: \2", what)
    return f"const {names} = {_variable(match[2])};"


def _variable(name: str) -> str:
    return "m_" + re.sub(r"\W", "_", name)
