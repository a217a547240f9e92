// Tests the built site in Chromium: `node site.mjs SITE SHOTS`. SITE is the folder that mkdocs built; screenshots go to SHOTS.
//
// On each page, desktop and phone, light and dark: no error in the console, no request to another host, no broken picture, nothing
// wider than the screen. The search finds English and Chinese words, and its results open.

import assert from "node:assert/strict";
import { createReadStream, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

import { chromium } from "playwright-core";

import { browser as start, context as newContext } from "../../web/tests/browser.mjs";

const [site, shots] = process.argv.slice(2);
const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};
const PAGES = ["index.html", "start.html", "how.html", "others.html", "sources.html", "python.html", "commands.html", "zh/index.html", "zh/sources.html"];
const SCREENS = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
};

function serve(folder) {
  const server = createServer((request, response) => {
    const name = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(folder, name.endsWith("/") ? `${name}index.html` : name);
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

// Opens a page, and collects what goes wrong while it loads.
async function open(context, address) {
  const problems = [];
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!["127.0.0.1", ""].includes(new URL(request.url()).hostname)) problems.push(`request to ${request.url()}`);
  });
  await page.goto(address, { waitUntil: "load" });
  return { page, problems };
}

async function look(context, root, name, label) {
  const { page, problems } = await open(context, `${root}/${name}`);
  const broken = await page.$$eval("img", (all) => all.filter((img) => img.complete && img.naturalWidth === 0).map((img) => img.src));
  assert.deepEqual(broken, [], `${label} ${name}: broken pictures`);
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(wide <= screen, `${label} ${name}: ${wide} pixels on a screen of ${screen}`);
  assert.deepEqual(problems, [], `${label} ${name}`);
  await page.screenshot({ path: join(shots, `${name.replace(/\W/g, "-")}-${label}.png`) });
  await page.close();
}

async function search(context, root, words, expected) {
  const { page, problems } = await open(context, `${root}/index.html`);
  await page.click("label.md-search__icon[for=__search], .md-search__input");
  await page.fill(".md-search__input", words);
  const result = page.locator(".md-search-result__link").first();
  await result.waitFor();
  // The count is written apart from the results.
  await page.locator(".md-search-result__meta", { hasText: /matching document/ }).waitFor();
  const names = await page.$$eval(".md-search-result__link", (all) => all.map((link) => new URL(link.href).pathname));
  assert.ok(names.some((name) => name.endsWith(expected)), `search for ${words}: no ${expected} in ${names}`);
  await page.screenshot({ path: join(shots, `search-${expected.replace(/\W/g, "-")}.png`) });
  await result.click();
  await page.waitForURL((url) => url.pathname === names[0]);
  assert.notEqual(await page.title(), "", "a result opens");
  assert.deepEqual(problems, [], `search for ${words}`);
  await page.close();
}

mkdirSync(shots, { recursive: true });
const server = await serve(site);
const root = `http://127.0.0.1:${server.address().port}`;
const profile = mkdtempSync(join(tmpdir(), "lookalike-site-"));
let checked = 0;
const browser = await start(chromium, { env: { ...process.env, HOME: profile } });
try {
  for (const [label, viewport] of Object.entries(SCREENS)) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await newContext(browser, { viewport, colorScheme });
      for (const name of PAGES) {
        await look(context, root, name, `${label}-${colorScheme}`);
        checked += 1;
      }
      await context.close();
    }
  }
  const context = await newContext(browser, { viewport: SCREENS.desktop });
  await search(context, root, "shingle", "/how.html");
  await search(context, root, "test set", "/recipes/decontamination.html");
  await search(context, root, "召回率", "/zh/start.html");
} finally {
  await browser.close();
  server.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(`${checked} views of the site and 3 searches, screenshots in ${shots}`);
