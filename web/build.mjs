// Builds the bundle (dist/), or the tests (.tests/) with --tests. The same input gives the same
// bytes: no source maps, no times, no absolute paths.

import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT = 120_000;

async function buildPage() {
  mkdirSync("dist", { recursive: true });
  const common = { bundle: true, minify: true, target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning" };
  await build({ ...common, entryPoints: ["src/main.ts"], outfile: "dist/app.js", format: "esm" });
  await build({ ...common, entryPoints: ["src/css/app.css"], outfile: "dist/app.css" });
  copyFileSync("index.html", "dist/index.html");
  let total = 0;
  for (const name of ["index.html", "app.js", "app.css"]) {
    const bytes = readFileSync(`dist/${name}`);
    const compressed = gzipSync(bytes, { level: 9 }).length;
    total += compressed;
    console.log(`${name}: ${bytes.length} bytes, ${compressed} compressed`);
  }
  if (total > LIMIT) throw new Error(`the bundle has ${total} bytes compressed, more than ${LIMIT}`);
}

/** Where tests are: those of "unit" run alone, those of "page" drive a browser. */
const TESTS = { unit: ["tests/unit", "tests/pictures"], page: ["tests/page", "tests/pictures/browser"] };

async function buildTests() {
  rmSync(".tests", { recursive: true, force: true });
  for (const [kind, folders] of Object.entries(TESTS)) {
    const entryPoints = folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith(".test.ts")).map((name) => `${folder}/${name}`));
    await build({
      entryPoints,
      outdir: `.tests/${kind}`,
      entryNames: "[name]",
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      packages: "external",
      logLevel: "warning",
    });
  }
}

await (process.argv.includes("--tests") ? buildTests() : buildPage());
