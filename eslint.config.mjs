// Lint rules for the viewer's, the site's and the games' JavaScript.

const RULES = {
  "no-undef": "off", // tsc knows better
  "no-var": "error",
  "prefer-const": "error",
  "eqeqeq": ["error", "always", {null: "ignore"}],
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-new-func": "error",
  "no-throw-literal": "error",
  "no-shadow": "error",
  "no-unreachable": "error",
  "no-unused-vars": ["error", {args: "after-used", argsIgnorePattern: "^_"}],
  "no-unused-private-class-members": "error",
  "no-fallthrough": "error",
  "no-constant-condition": ["error", {checkLoops: false}],
  "no-self-compare": "error",
  "no-unmodified-loop-condition": "error",
  "no-irregular-whitespace": "error",
  "no-sparse-arrays": "error",
  "no-empty": ["error", {allowEmptyCatch: false}],
  "no-restricted-properties": ["error",
    {property: "innerHTML", message: "names and notes are strangers' text: use dom.js"},
    {property: "outerHTML", message: "names and notes are strangers' text: use dom.js"},
    {property: "insertAdjacentHTML", message: "names and notes are strangers' text: use dom.js"},
  ],
  "max-lines": ["error", {max: 400, skipBlankLines: true, skipComments: true}],
  "max-len": ["error", {code: 120, ignoreTemplateLiterals: true, ignoreStrings: true, ignoreComments: true}],
  "semi": "error",
  "quotes": ["error", "double", {avoidEscape: true, allowTemplateLiterals: true}],
};

export default [
  {ignores: ["**/uplot.js", "**/codemirror.js", "packages/koth/src/koth/games/*/*/**"]},
  {
    files: [
      "packages/koth/src/koth/viewer/static/*.js", "packages/koth-hill/src/koth_hill/site/static/*.js", "packages/koth/src/koth/games/*/*.js", "packages/koth/src/koth/testing/*.js",
    ],
    languageOptions: {ecmaVersion: 2024, sourceType: "module"},
    rules: RULES,
  },
  {files: ["packages/koth/src/koth/games/*/draw.js"], rules: {"max-lines": "off"}}, // one module a picture
];
