// The bundle that `make editor` makes of CodeMirror 6; its own types are not among koth's sources.

export const basicSetup: any, cpp: any, EditorView: any, go: any, HighlightStyle: any, indentUnit: any;
export const indentWithTab: any, java: any, javascript: any, keymap: any, lintGutter: any, python: any, rust: any;
export const setDiagnostics: any, syntaxHighlighting: any, tags: any;
