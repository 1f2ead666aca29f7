"""How values are spelled in the languages whose starts read JSON as it is."""

from __future__ import annotations

from koth.scaffold.shapes import camel, plain, snake
from koth.scaffold.spelling import Spelling

RUBY = Spelling(
    items="[{items}]",
    record="{{ {values} }}",
    pair='"{key}" => {value}',
    row="[{values}]",
    pick="{upper}.sample(random: @dice)",
    nothing="nil",
    identifier=str,
)

PHP = Spelling(
    items="[{items}]",
    record="[{values}]",
    pair="'{key}' => {value}",
    row="[{values}]",
    pick="pick({upper})",
    identifier=str,
)

LUA = Spelling(
    items="koth.list({{ {items} }})",
    record="{{ {values} }}",
    pair='["{key}"] = {value}',
    row="koth.list({{ {values} }})",
    pick="pick({upper})",
    nothing="koth.null",
    identifier=str,
)

CSHARP = Spelling(
    items="new object[] {{ {items} }}",
    record="new Dictionary<string, object> {{ {values} }}",
    pair='{{ "{key}", {value} }}',
    row="new object[] {{ {values} }}",
    pick="Pick({name}s)",
    identifier=plain,
    reserved="base bool char class const double event fixed float in int is lock long namespace new null object out "
    "params ref string this",
)

KOTLIN = Spelling(
    items="listOf<Any?>({items})",
    record="mapOf({values})",
    pair='"{key}" to {value}',
    row="listOf({values})",
    pick="{upper}.random(dice)",
    identifier=str,
)

HASKELL = Spelling(
    items="List <$> sequence [{items}]",
    record="Object <$> sequence [{values}]",
    pair='(,) "{key}" <$> ({value})',
    row="List <$> sequence [{values}]",
    pick="pick dice {camel}s",
    nothing="pure Null",
    number="pure (Whole ({}))",
    fraction="pure (Real ({}))",
    truths=("pure (Truth False)", "pure (Truth True)"),
    string="pure (Text {})",
    identifier=camel,
    reserved="case class data default deriving do else foreign if import in infix instance let module newtype of "
    "then type where it",
)

C = Spelling(items="", record="", pair="", pick="", identifier=snake)
