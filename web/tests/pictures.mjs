// Takes the pictures of the guides again: node tests/pictures.mjs. Look at them before you commit them.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium as driver } from "playwright-core";
import { browser, context as newContext } from "./browser.mjs";
import { data, run } from "./command.mjs";

const pictures = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lookalike-pictures-"));
const chromium = await browser(driver);
process.chdir(fileURLToPath(new URL("../../testdata/", import.meta.url)));

/** Takes a picture of a view. */
async function take(name, report, act, height) {
  const context = await newContext(chromium, { viewport: { width: 1100, height }, locale: "en" });
  const page = await context.newPage();
  await page.goto(`file://${report}#/`);
  await page.waitForSelector("main h1");
  await act(page);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  await context.close();
}

const licenses = join(folder, "licenses.html");
run("dedup", "licenses.jsonl.zst", "--report", licenses);
await take("report-overview", licenses, async () => {}, 860);
await take(
  "report-texts",
  licenses,
  async (page) => {
    await page.click(".plain-list a");
    await page.waitForSelector(".text-box mark.only");
    await page.keyboard.press("n");
  },
  760,
);
const people = [
  { id: "a17", name: "Elizabeth Miller", born: "1970-01-02", town: "Springfield", phone: "213 555 0100" },
  { id: "b03", name: "Elisabeth Miler", born: "1970-01-02", town: "Springfield", phone: "" },
];
const [input, config] = [join(folder, "people.jsonl"), join(folder, "link.toml")];
writeFileSync(input, people.map((one) => JSON.stringify(one)).join("\n"));
const field = (name, type) => `[[field]]\nname = "${name}"\ntype = "${type}"\n`;
writeFileSync(config, `${field("name", "name")}${field("born", "date")}${field("town", "text")}${field("phone", "phone")}[[block]]\nequal = ["born"]\n`);
const link = join(folder, "link.html");
run("link", input, "-c", config, "-o", join(folder, "out.jsonl"), "--report", link, "--quiet");
await take("report-link", link, async (page) => {
  await page.waitForSelector(".tile");
  await page.click(".plain-list a");
}, 520);
const cuts = join(folder, "cuts.html");
run("cut", "licenses.jsonl.zst", "--window", "20", "--report", cuts, "--quiet");
await take("report-cut", cuts, async (page) => {
  await page.waitForSelector(".tile");
  await page.click(".plain-list a");
  await page.click(".plain-list a");
  await page.waitForSelector("del.cut");
  await page.keyboard.press("n");
}, 760);
await chromium.close();
