import * as fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";

/** Where Turbo makes its style element, and puts it into the page. */
const ownStyle = [
  /^ +this\.stylesheetElement = .*;\n/m,
  /^ +this\.installStylesheetElement\(\);\n/m,
  /^ {2}static get defaultCSS\(\) \{\n[\s\S]*?^ {2}\}\n/m,
  /^ {2}installStylesheetElement\(\) \{\n[\s\S]*?^ {2}\}\n/m,
  /^ {2}createStylesheetElement\(\) \{\n[\s\S]*?^ {2}\}\n/m,
];

/**
 * Turbo puts a style element into each page, which the site's policy refuses: public/css/turbo.css
 * has what it says. Throws if a newer Turbo does it in another way.
 */
const withoutOwnStyle = {
  name: "without-own-style",
  setup({ onLoad }) {
    onLoad({ filter: /turbo\.es2017-esm\.js$/ }, ({ path: file }) => {
      const source = fs.readFileSync(file, "utf8");
      const contents = ownStyle.reduce((rest, part) => {
        if (!part.test(rest)) throw new Error("Turbo installs its stylesheet in another way");
        return rest.replace(part, "");
      }, source);
      return { contents, loader: "js" };
    });
  },
};

const stylesheets = ["public/css/app.css", "public/css/secondary.css"];
const scripts = [
  "app",
  "complete",
  "extra",
  "passkey-forms",
  "pictures",
  "push-forms",
  "renew",
].map((name) => `public/js/${name}.js`);

/**
 * The stylesheets and scripts named here with what they import, the SVG pictures of public/, and whatever else the
 * stylesheets name, each under the hash of its content. What scripts import of src and do not use is left out, as
 * package.json says that only modules of public/ do something when they are imported. Throws if a stylesheet or a module is imported by nothing, or if
 * Turbo is in two scripts: a page would hear everything twice.
 */
export async function bundle(root) {
  const pictures = list(root, "public").filter((name) => name.endsWith(".svg"));
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...stylesheets, ...scripts, ...pictures],
    bundle: true,
    minify: true,
    // Warnings of Turbo to developers: 0.4 kB.
    drop: ["console"],
    format: "esm",
    // The browsers that know light-dark() and nesting know all that is in there.
    target: "esnext",
    charset: "utf8",
    legalComments: "inline",
    loader: { ".svg": "copy", ".png": "copy", ".woff2": "copy" },
    plugins: [withoutOwnStyle],
    outdir: "assets",
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  refuseUnused(root, metafile);
  refuseTwoTurbos(metafile);
  return {
    files: outputFiles.map(({ path: file, contents }) => ({
      path: path.relative(root, file),
      bytes: contents,
    })),
    addresses: Object.fromEntries(
      Object.entries(metafile.outputs)
        .filter(([, { entryPoint }]) => entryPoint !== undefined)
        .map(([output, { entryPoint }]) => [path.basename(entryPoint), `/${output}`]),
    ),
  };
}

function refuseUnused(root, { inputs }) {
  const files = [...list(root, "public/css"), ...list(root, "public/js")];
  const unused = files.filter((file) => inputs[file] === undefined);
  if (unused.length === 0) return;
  throw new Error(
    `Nothing imports ${unused.join(", ")}. What is served: ${[...stylesheets, ...scripts].join(", ")}.`,
  );
}

function refuseTwoTurbos({ outputs }) {
  const withTurbo = Object.entries(outputs).filter(([, { inputs }]) =>
    Object.keys(inputs).some((file) => file.includes("@hotwired/turbo/")),
  );
  if (withTurbo.length === 1) return;
  throw new Error(`Turbo is in ${withTurbo.map(([name]) => name).join(" and ")}.`);
}

function list(root, folder) {
  return fs.readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`);
}
