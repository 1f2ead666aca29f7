"""The languages that a bot can be begun in for every game, from its declaration alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path

SHIPPED = Path(__file__).parents[1] / "games"
"""Where koth's own games lie."""
GROUP = "koth.games"
"""Entry points by which installed packages bring more."""


@dataclass(frozen=True)
class Language:
    """A language: the files of `templates/`, and how an answer is written in it (`make.py`).

    In the texts, the parts of a value stand for `{}`, in order.
    """

    files: tuple[str, ...]
    choices: str
    """The declaration of the names that a value may have: what they are called (`STEPS`), the names, `Steps`."""
    pick: str
    """A draw of one of these names, by what they are called (`STEPS`, `Steps`, `steps`)."""
    each: str
    """An answer for each unit: the list's key, the number of a unit, the answer."""
    number: str
    """The number of a unit by its key."""
    pair: str = '"{}": {}'
    """A member of an object: its key and its value."""
    record: str = "{{{}}}"
    items: str = "[{}]"
    scalar: str = "{}"
    """A number, a truth or null."""
    text: str = '"{}"'
    values: str = ""
    """`choices` for values that are no texts, where it is another: with `steps` as fourth part."""
    pick_value: str = ""
    """`pick` from those, where it is another."""
    words: dict[str, str] = field(default_factory=dict)
    """The names of true, false and null, if others."""
    manifest: str = ""
    """The lines of koth.toml that build and start a bot, where koth does not know them."""


_KOTLIN = """\
build = [
  "javac -nowarn -proc:none -encoding UTF-8 -d bot Koth.java",
  "kotlinc -nowarn -no-reflect -cp bot -d bot Bot.kt",
]
# Debian has Kotlin's library in this place:
command = ["java", "-XX:+UseSerialGC", "-Xmx256m", "-cp", "bot:/usr/share/java/kotlin-stdlib.jar", "BotKt"]
"""

LANGUAGES = {
    "c": Language(
        ("c/bot.c", "c/koth.h"),
        choices="static const char *const {}[] = {{{}}};",
        pick='"«{}»"',
        pick_value="«{}»",
        each="",
        number='json_get(unit, "{}")',
        pair='"{}":{}',
    ),
    "c#": Language(
        ("csharp/Bot.cs", "csharp/Koth.cs"),
        choices="private static readonly string[] {} = {{ {} }};",
        values="private static readonly object[] {} = {{ {} }};",
        pick="Pick({})",
        each='question["{}"].Items.ToDictionary(unit => {}.Text, unit => (object){})',
        number='unit["{}"]',
        pair='{{ "{}", {} }}',
        record="new Dictionary<string, object> {{ {} }}",
        items="new object[] {{ {} }}",
    ),
    "c++": Language(
        ("cpp/bot.cpp", "cpp/koth.hpp"),
        choices="static const std::vector<Json> {} = {{{}}};",
        pick="pick({})",
        each='each(question["{}"], [](const Json& unit) {{ return {}; }}, [&] {{ return {}; }})',
        number='unit["{}"]',
        pair='{{"{}", {}}}',
        record="Json::object({{{}}})",
        items="Json::list({{{}}})",
        words={"null": "Json()"},
    ),
    "go": Language(
        ("go/bot.go",),
        choices="var {} = []any{{{}}}",
        pick="b.pick({})",
        each='each(question["{}"], func(unit any) any {{ return {} }}, func() any {{ return {} }})',
        number='unit.(object)["{}"]',
        record="object{{{}}}",
        items="[]any{{{}}}",
        words={"null": "nil"},
    ),
    "haskell": Language(
        ("haskell/bot.hs", "haskell/Koth.hs"),
        choices="all{2} :: [String]\nall{2} = [{1}]",
        pick="Text <$> pick dice all{1}",
        values="all{2} :: [IO Json]\nall{2} = [{1}]",
        pick_value="join (pick dice all{1})",
        each='each (question ! "{}") (\\unit -> {}) ({})',
        number='unit ! "{}"',
        pair='("{}", {})',
        record="object [{}]",
        items="list [{}]",
        scalar='pure (Word "{}")',
        text='pure (Text "{}")',
    ),
    "java": Language(
        ("java/Bot.java", "java/Koth.java"),
        choices="private static final List<String> {} = List.of({});",
        values="private static final List<Object> {} = List.of({});",
        pick="pick({})",
        each='Koth.each(question.get("{}"), unit -> {}, () -> {})',
        number='unit.get("{}")',
        pair='"{}", {}',
        record="Map.of({})",
        items="List.of({})",
    ),
    "javascript": Language(
        ("javascript/bot.js",),
        choices="const {} = [{}];",
        pick="this.pick({})",
        each="Object.fromEntries(question.{}.map((unit) => [{}, {}]))",
        number="unit.{}",
        record="{{ {} }}",
    ),
    "kotlin": Language(
        ("kotlin/Bot.kt", "java/Koth.java"),
        choices="private val {} = listOf({})",
        pick="{}.random(dice)",
        each='Koth.each(question["{}"], {{ unit -> {} }}, {{ {} }})',
        number='unit["{}"]',
        pair='"{}" to {}',
        record="mapOf({})",
        items="listOf<Any?>({})",
        manifest=_KOTLIN,
    ),
    "lua": Language(
        ("lua/bot.lua", "lua/koth.lua"),
        choices="local {} = {{ {} }}",
        pick="pick({})",
        each='koth.each(question["{}"], function(unit) return {} end, function() return {} end)',
        number='unit["{}"]',
        pair='["{}"] = {}',
        record="{{ {} }}",
        items="koth.list({{ {} }})",
        words={"null": "koth.null"},
    ),
    "php": Language(
        ("php/bot.php",),
        choices="const {} = [{}];",
        pick="pick({})",
        each="(object) array_column(array_map(fn($unit) => [{1}, {2}], $question['{0}']), 1, 0)",
        number="$unit['{}']",
        pair="'{}' => {}",
        record="[{}]",
        text="'{}'",
    ),
    "python": Language(
        ("python/bot.py.in",),
        choices="{} = [{}]",
        pick="self.dice.choice({})",
        each="{{{1}: {2} for unit in obs.{0}}}",
        number="unit.{}",
        words={"true": "True", "false": "False", "null": "None"},
        manifest='protocol = "python"\n',
    ),
    "ruby": Language(
        ("ruby/bot.rb",),
        choices="{} = [{}].freeze",
        pick="{}.sample(random: @dice)",
        each='question["{}"].to_h {{ |unit| [{}, {}] }}',
        number='unit["{}"]',
        pair='"{}" => {}',
        record="{{ {} }}",
        words={"null": "nil"},
    ),
    "rust": Language(
        ("rust/bot.rs", "rust/koth.rs"),
        choices="const {}: &[&str] = &[{}];",
        pick="self.dice.pick({})",
        values="fn {3}() -> Vec<Json> {{\n    vec![{1}]\n}}",
        pick_value="self.dice.pick(&{2}())",
        each='each(&question["{}"], |unit| &{}, || {})',
        number='unit["{}"]',
        pair='("{}", {})',
        record="object([{}])",
        items="list([{}])",
        scalar="Json::from({})",
        text='Json::from("{}")',
        words={"null": 'Json::Word("null".to_string())'},
    ),
    "typescript": Language(
        ("typescript/bot.ts", "typescript/tsconfig.json"),
        choices="const {} = [{}];",
        pick="this.pick({})",
        each="Object.fromEntries(question.{}.map((unit: Json) => [{}, {}]))",
        number="unit.{}",
        record="{{ {} }}",
        manifest='build = ["tsc"]\ncommand = ["node", "bot.js"]\n',
    ),
}
"""By the word of `koth new --lang`."""


def own(folder: Path) -> dict[str, Path]:
    """Return the folders in `new/` of a game's folder, by language: bots that are copied as they are."""
    return {path.name: path for path in (folder / "new").glob("*") if path.is_dir()}


def languages() -> dict[str, list[str]]:
    """Return the languages of each game, koth's own first, without importing any game."""
    folders = {path.parent.name: path.parent for path in sorted(SHIPPED.glob("*/RULES.md"))}
    if entry_points(group=GROUP):
        from koth.games import GAMES, home, playable  # with arrays: nobody waits for them who has no such game

        folders |= {name: home(name).folder for name in playable() if name not in GAMES}
    return {name: sorted({*LANGUAGES, *own(folder)}) for name, folder in folders.items()}
