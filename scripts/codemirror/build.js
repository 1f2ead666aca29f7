// Write the bundle of CodeMirror, and the licences of all packages in it, to a folder: `node build.js FOLDER`.

import {readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {fileURLToPath} from "node:url";
import {build} from "esbuild";

const [to] = process.argv.slice(2);
const {metafile} = await build({
  entryPoints: [fileURLToPath(new URL("bundle.js", import.meta.url))],
  outfile: join(to, "codemirror.js"),
  bundle: true, minify: true, format: "esm", charset: "utf8", legalComments: "none", metafile: true,
});
const packages = Object.keys(metafile.inputs).flatMap((path) => path.match(/^node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
const byLicence = new Map();
for (const folder of [...new Set(packages)].sort()) {
  const {name, version} = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const licence = readFileSync(join(folder, "LICENSE"), "utf8").trim();
  byLicence.set(licence, [...(byLicence.get(licence) ?? []), `${name} ${version}`]);
}
const text = [...byLicence].map(([licence, names]) => `${names.join(", ")}:\n\n${licence}\n`).join("\n\n");
writeFileSync(join(to, "codemirror.LICENSE.txt"), text);
