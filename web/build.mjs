// Builds the page: one HTML file with all styles and the whole program, which the Rust crate `lookalike-report` embeds.
//
// With --check, compares the result with the committed file instead of writing it.

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL(".", import.meta.url));
const target = fileURLToPath(new URL("../crates/lookalike-report/page.html", import.meta.url));

const built = await build({
  root,
  configFile: false,
  logLevel: "warn",
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    write: false,
    target: "es2022",
    cssCodeSplit: false,
    // A classic script: browsers do not load modules from disk.
    lib: { entry: "src/main.tsx", formats: ["iife"], name: "lookalike" },
  },
});
const files = [built].flat().flatMap((one) => one.output);
const text = (ending) => files.filter((file) => file.fileName.endsWith(ending)).map((file) => String(file.code ?? file.source)).join("");
// A `</script>` in a string would end the script.
const script = text(".js").trim().replaceAll("</script", "<\\/script");
const style = text(".css").trim().replaceAll("</style", "<\\/style");
const hash = (content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
// Nothing but this script and this style: no requests, no images from elsewhere, no scripts in the data.
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>lookalike</title>
<style>${style}</style>
</head>
<body>
<div id="app"><noscript>This report needs JavaScript, which is part of this file.</noscript></div>
<!--data-->
<script>${script}</script>
</body>
</html>
`;

if (process.argv.includes("--check")) {
  if ((await readFile(target, "utf8")) !== page) {
    console.error("crates/lookalike-report/page.html is not what web/ builds; run `make web`, and commit the result");
    process.exit(1);
  }
} else {
  await writeFile(target, page);
}
console.log(`page.html: ${(page.length / 1024).toFixed(0)} kB`);
