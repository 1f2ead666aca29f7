// The editor of sources: CodeMirror in a shadow root, where its styles are sheets that the site's policy allows.

import {
  basicSetup, cpp, EditorView, go, HighlightStyle, indentUnit, indentWithTab, java, javascript, keymap, lintGutter,
  python, rust, setDiagnostics, syntaxHighlighting, tags,
} from "./codemirror.js";

/** @type {Record<string, () => any>} */
const LANGUAGES = {
  c: cpp, cc: cpp, cjs: javascript, cpp, cs: java, go, java, js: javascript, kt: java, mjs: javascript, py: python,
  rs: rust, scala: java,
};

const COLOURS = HighlightStyle.define([
  {tag: [tags.keyword, tags.modifier, tags.self], color: "light-dark(#7a3ec2, #d2a8ff)"},
  {tag: [tags.string, tags.character, tags.special(tags.string)], color: "light-dark(#1f6b33, #7fd597)"},
  {tag: [tags.number, tags.bool, tags.null, tags.atom], color: "light-dark(#8a4b00, #f0c069)"},
  {tag: [tags.comment, tags.meta], color: "light-dark(#585e66, #939ba3)", fontStyle: "italic"},
  {tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "light-dark(#0a5ea8, #6db7ff)"},
  {tag: [tags.typeName, tags.className, tags.namespace], color: "light-dark(#0b666d, #6fd3d8)"},
  {tag: tags.invalid, color: "light-dark(#b3261e, #ff6b5e)"},
]);

const MONOSPACE = 'ui-monospace, "Cascadia Mono", "Noto Sans Mono", Menlo, monospace';
const SOFT = "color-mix(in srgb, var(--accent) 9%, transparent)";
const LOOK = EditorView.theme({
  "&": {width: "100%", height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: ".9rem"},
  "&.cm-focused": {outline: "none"},
  ".cm-scroller": {fontFamily: MONOSPACE, lineHeight: "1.5", overflow: "auto"},
  ".cm-content": {caretColor: "var(--ink)"},
  ".cm-cursor": {borderLeftColor: "var(--ink)"},
  ".cm-gutters": {backgroundColor: "var(--panel)", color: "var(--muted)", borderRight: "1px solid var(--line)"},
  ".cm-activeLine": {backgroundColor: SOFT},
  ".cm-activeLineGutter": {backgroundColor: "var(--hover)", color: "var(--ink)"},
  "& > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
    {backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)"},
  "&.cm-focused .cm-matchingBracket": {backgroundColor: "color-mix(in srgb, var(--good) 30%, transparent)"},
  ".cm-selectionMatch": {backgroundColor: "color-mix(in srgb, var(--good) 22%, transparent)"},
  ".cm-lint-marker": {content: "normal", width: ".7em", height: ".7em", margin: ".35em auto", borderRadius: "50%"},
  ".cm-lint-marker-error": {content: "normal", backgroundColor: "var(--danger)"},
  ".cm-lint-marker-warning": {content: "normal", backgroundColor: "var(--warn)"},
  ".cm-lintRange-error": {backgroundImage: "none", textDecoration: "underline wavy var(--danger)"},
  ".cm-lintRange-warning": {backgroundImage: "none", textDecoration: "underline wavy var(--warn)"},
  ".cm-panels, .cm-tooltip": {backgroundColor: "var(--panel)", color: "var(--ink)", borderColor: "var(--line)"},
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {backgroundColor: "var(--accent)", color: "var(--on-accent)"},
  ".cm-textfield, .cm-button": {
    backgroundColor: "var(--paper)", backgroundImage: "none", color: "var(--ink)", border: "1px solid var(--edge)",
  },
});

/**
 * The editor of a source, in this element.
 * @param {HTMLElement} host
 * @param {{text: string, file: string, changed: (text: string) => void, run: () => void}} about
 */
export function createEditor(host, {text, file, changed, run}) {
  const root = host.attachShadow({mode: "open"});
  host.addEventListener("keydown", (event) => event.stopPropagation()); // letters are keys of the viewer
  const language = LANGUAGES[file.split(".").at(-1)?.toLowerCase() ?? ""];
  const view = new EditorView({
    doc: text, parent: root, root,
    extensions: [
      keymap.of([{key: "Mod-Enter", run: () => { run(); return true; }, preventDefault: true}]), basicSetup,
      keymap.of([indentWithTab]), indentUnit.of(/\.(go)$/i.test(file) ? "\t" : "    "), lintGutter(),
      ...(language ? [language()] : []), syntaxHighlighting(COLOURS), LOOK,
      EditorView.contentAttributes.of({"aria-label": `Source, ${file}`, tabindex: "0"}),
      EditorView.updateListener.of(({docChanged, state}) => { if (docChanged) changed(state.doc.toString()); }),
    ],
  });
  const lineOf = (number) => view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
  return {
    text: () => view.state.doc.toString(),
    /** Put the cursor at the beginning of a line. */
    jump(number) {
      view.dispatch({selection: {anchor: lineOf(number).from}, effects: EditorView.scrollIntoView(lineOf(number).from, {y: "center"})});
      view.focus();
    },
    /** Mark lines: `{line, message, severity}`. */
    mark(places) {
      const marks = places.map(({line, message, severity}) => {
        const {from, to} = lineOf(line);
        return {from, to, message, severity};
      });
      view.dispatch(setDiagnostics(view.state, marks));
    },
  };
}
