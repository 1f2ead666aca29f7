"""How the languages with types spell the messages of a game."""

from __future__ import annotations

from koth.scaffold.shapes import camel, pascal, plain, snake
from koth.scaffold.spelling import Spelling

RUST = Spelling(
    whole="i64",
    wide="i64",
    real="f64",
    truth="bool",
    text="String",
    letter="char",
    several="Vec<{}>",
    by_number="BTreeMap<i64, {}>",
    maybe="Option<{}>",
    items="vec![{items}]",
    record="{name} {{ {values} }}",
    pair="{key}: {value}",
    pick="self.dice.pick(&{name}::ALL)",
    chosen="{name}::{case}({value})",
    nothing="None",
    identifier=snake,
    reserved="type self move match loop where in fn use mod ref box final override",
)

GO = Spelling(
    whole="int",
    wide="int64",
    real="float64",
    truth="bool",
    text="string",
    letter="string",
    several="[]{}",
    by_number="map[int]{}",
    maybe="*{}",
    items="[]{type}{{{items}}}",
    record="{name}{{{values}}}",
    pair="{key}: {value}",
    pick="All{name}[mine.dice.Intn(len(All{name}))]",
    chosen="{value}",
    nothing="nil",
    identifier=pascal,
)

CPP = Spelling(
    whole="int",
    wide="std::int64_t",
    real="double",
    truth="bool",
    text="std::string",
    letter="char",
    several="std::vector<{}>",
    by_number="std::map<int, {}>",
    maybe="std::optional<{}>",
    items="{{{items}}}",
    record="{name}{{{values}}}",
    pair="{value}",
    pick="all_{snake}[dice() % all_{snake}.size()]",
    chosen="{value}",
    nothing="std::nullopt",
    identifier=snake,
    reserved=(
        "and auto bool break case char class const default delete do double else enum export float for friend goto "
        "if int long namespace new not operator or private public register return short signed sizeof static struct "
        "switch template this union unsigned using virtual void while xor"
    ),
)

JAVA = Spelling(
    whole="int",
    wide="long",
    real="double",
    truth="boolean",
    text="String",
    letter="char",
    several="List<{}>",
    by_number="Map<Integer, {}>",
    maybe="{}",
    items="List.of({items})",
    record="new {name}({values})",
    pair="{value}",
    pick="pick({name}.values())",
    chosen="{value}",
    plain="new {case}({value})",
    nothing="null",
    identifier=camel,
    reserved=(
        "abstract boolean break byte case char class const continue default do double else enum final finally float "
        "for goto if import int interface long native new package private protected public return short static super "
        "switch this throw try void while true false null"
    ),
    boxed={"int": "Integer", "long": "Long", "double": "Double", "boolean": "Boolean", "char": "Character"},
)

PYTHON = Spelling(
    whole="int",
    wide="int",
    real="float",
    truth="bool",
    text="str",
    letter="str",
    several="List[{}]",
    by_number="Dict[int, {}]",
    maybe="Optional[{}]",
    items="[{items}]",
    record="{{{values}}}",
    row="({values})",
    pair='"{key}": {value}',
    pick="self.dice.choice(arena.ALL_{upper}S)",
    chosen="{value}",
    nothing="None",
    truths=("False", "True"),
    identifier=str,
)

TYPESCRIPT = Spelling(
    whole="number",
    wide="number",
    real="number",
    truth="boolean",
    text="string",
    letter="string",
    several="{}[]",
    by_number="Record<number, {}>",
    maybe="{} | null",
    items="[{items}]",
    record="{{ {values} }}",
    row="[{values}]",
    pair="{key}: {value}",
    pick="this.pick(koth.all{name}s)",
    chosen="{value}",
    nothing="null",
    identifier=plain,
)
