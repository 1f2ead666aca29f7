// What the site's editor takes of CodeMirror: the one module that `make editor` bundles.

export {indentWithTab} from "@codemirror/commands";
export {cpp} from "@codemirror/lang-cpp";
export {go} from "@codemirror/lang-go";
export {java} from "@codemirror/lang-java";
export {javascript} from "@codemirror/lang-javascript";
export {python} from "@codemirror/lang-python";
export {rust} from "@codemirror/lang-rust";
export {HighlightStyle, indentUnit, syntaxHighlighting} from "@codemirror/language";
export {lintGutter, setDiagnostics} from "@codemirror/lint";
export {EditorView, keymap} from "@codemirror/view";
export {tags} from "@lezer/highlight";
export {basicSetup} from "codemirror";
