// Stories of the report in a real browser.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium as driver } from "playwright-core";
import { browser, context } from "./browser.mjs";
import { data, lines, run } from "./command.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "lookalike-report-"));
let chromium;

before(async () => {
  chromium = await browser(driver);
});

after(async () => {
  await chromium.close();
  rmSync(folder, { recursive: true });
});

/** Waits until a view is shown and has read its data. The view is an address, or a pattern of what follows #/ in addresses. */
async function arrived(page, view) {
  // As the page reads it.
  const part = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const address = view instanceof RegExp ? null : view.replace(/^#\/?/, "").replace(/\?[^/]*$/, "").split("/").map(part).join("/");
  await page.waitForFunction(
    ([address, pattern]) => {
      const main = document.querySelector("main");
      if (!main?.querySelector("h1") || document.querySelector('[aria-busy="true"]')) return false;
      return address === null ? new RegExp(pattern).test(main.dataset.address) : main.dataset.address === address;
    },
    [address, view.source],
  );
}

/** Checks that nothing that is shown is a serious obstacle for people with other needs. */
async function accessible(page, ...which) {
  // Through the debugger, because the page's own policy forbids other scripts.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const [passes, serious] = await page.evaluate(async () => {
    // Only what is asserted leaves the page: all results are hundreds of kilobytes.
    const { passes, violations } = await axe.run(document, { resultTypes: ["violations"] });
    const serious = violations.filter((one) => one.impact === "serious" || one.impact === "critical");
    return [passes.length, serious.map((one) => [one.id, one.nodes[0].html])];
  });
  assert.ok(passes > 15, `${passes}`);
  assert.deepEqual(serious, [], which.join());
}

/** Checks that the page is not wider than the screen. */
async function fits(page, ...which) {
  const [width, view] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(width <= view, `${which.join()}: ${width} > ${view}`);
}

/** Opens a report in a fresh context. Every request and every error fails the story. */
async function open(report, address = "#/", settings = {}) {
  const opened = await context(chromium, { viewport: { width: 1280, height: 900 }, locale: "en", ...settings });
  const page = await opened.newPage();
  const wrong = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("file:") && !request.url().startsWith("blob:") && !request.url().startsWith("data:")) wrong.push(request.url());
  });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  const go = async (to) => {
    await page.goto(`file://${report}${to}`);
    await arrived(page, to);
  };
  await go(address);
  return {
    page,
    go,
    close: async () => {
      await opened.close();
      assert.deepEqual(wrong, []);
    },
  };
}

/** Makes a report of a collection; returns its path and the summary. */
function report(name, ...flags) {
  const path = join(folder, `${name}.html`);
  const summary = run(...flags, "--report", path);
  return { path, summary };
}

let made;
const licenses = () => (made ??= report("licenses", "dedup", data("licenses.jsonl.zst")));

async function download(page, name) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(`button:has-text("${name}")`)]);
  const path = join(folder, file.suggestedFilename());
  await file.saveAs(path);
  return path;
}

async function move(page, threshold) {
  await page.fill(".threshold-number", String(threshold));
  await page.keyboard.press("Enter");
  await page.locator(".threshold-number").blur();
  await page.waitForSelector(`[data-testid="dropped"][data-threshold="${threshold}"]`);
}

test("the overview shows the figures of the summary", async () => {
  const { path, summary } = licenses();
  const { page, close } = await open(path);
  const tiles = await page.locator(".tile").allTextContents();
  const number = (value) => new Intl.NumberFormat("en").format(value);
  assert.equal(tiles[0], `${number(summary.documents)}documents`);
  assert.equal(tiles[1], `${number(summary.kept)}kept`);
  assert.equal(tiles[2], `${number(summary.dropped)}dropped`);
  assert.equal(tiles[3], `${number(summary.representatives)}groups`);
  assert.equal(tiles[4], `${number(summary.largest_group)}documents in the largest group`);
  const legend = await page.locator(".card .legend li").allTextContents();
  assert.ok(legend[1].includes(`: ${number(summary.dropped_exact)} (`), legend[1]);
  assert.ok(legend[2].includes(`: ${number(summary.dropped_near)} (`), legend[2]);
  await page.waitForSelector(".chart canvas");
  assert.equal(await page.locator(".chart canvas").count(), 1);
  await close();
});

/** Compares the page's decisions with the core's at several thresholds. */
async function sameAsCore(path, thresholds, flags) {
  const { page, go, close } = await open(path);
  for (const threshold of thresholds) {
    const decisions = join(folder, "core.jsonl");
    run("dedup", ...flags, "--threshold", String(threshold), "--recall", "0.0001", "--decisions", decisions);
    const core = lines(decisions);
    await go("#/");
    await move(page, threshold);
    await go("#/changes");
    const page_ = lines(await download(page, "Decisions"));
    assert.equal(page_.length, core.length);
    const measure = flags.includes("containment") ? "containment" : "resemblance";
    let dropped = 0;
    for (const [at, one] of core.entries()) {
      const { id, verdict, representative } = one;
      const similarity = verdict === "dropped" ? one[measure] : null;
      assert.deepEqual(page_[at], { id, verdict, representative, [measure]: similarity }, `${id} at ${threshold}`);
      dropped += Number(verdict === "dropped");
    }
    assert.equal(await page.getByTestId("dropped").textContent(), new Intl.NumberFormat("en").format(dropped));
  }
  await close();
}

/** Divides the licences into two files, by their sources. */
function halves() {
  const all = join(folder, "all.jsonl");
  run("dedup", data("licenses.jsonl.zst"), "--method", "exact", "--label", "-o", all);
  return ["scancode/", "spdx/"].map((source) => {
    const path = join(folder, `${source.slice(0, -1)}.jsonl`);
    const own = lines(all).filter(({ id }) => id.startsWith(source));
    writeFileSync(path, own.map(({ id, text }) => `${JSON.stringify({ id, text })}\n`).join(""));
    return path;
  });
}

const bands = ["--bands", "21", "--rows", "6"];
// The larger corpora, if LOOKALIKE_DATA names their folder.
const corpora = (process.env.LOOKALIKE_DATA ? ["newsgroups20", "ota_us_versions", "winps_docs", "zh_mingju", "bible_verses_dev", "ja_aozora_dev"] : []).map(
  (name) => [name, [0.6, 0.7, 0.8, 0.9, 1], () => [join(process.env.LOOKALIKE_DATA, `${name}.jsonl.zst`)], ...bands],
);
for (const [name, thresholds, input, ...flags] of [
  ["licenses", [0.6, 0.7, 0.8, 0.9, 1], () => [data("licenses.jsonl.zst")], ...bands],
  ["ota_versions", [0.6, 0.65, 0.8, 0.95, 0.999], () => [data("ota_versions.jsonl.zst")], ...bands],
  ["zh_tang", [0.6, 0.75, 0.8, 0.85, 1], () => [data("zh_tang.jsonl.zst")], ...bands],
  ["longest", [0.6, 0.8, 0.9], () => [data("licenses.jsonl.zst")], "--keep", "longest", ...bands],
  ["against", [0.6, 0.8, 0.9], () => [halves()[1], "--against", halves()[0]], ...bands],
  ["against only", [0.6, 0.8, 0.9], () => [halves()[1], "--against", halves()[0]], "--against-only", ...bands],
  ["contained", [0.6, 0.8, 0.95], () => [data("ota_versions.jsonl.zst")], "--measure", "containment", "--method", "shingle"],
  ...corpora,
]) {
  test(`the threshold in the page decides like the core: ${name}`, async () => {
    const all = [...input(), ...flags];
    const { path } = report(name, "dedup", ...all, "--recall", "0.01", "--report-floor", "0.6");
    await sameAsCore(path, thresholds, all);
  });
}

test("the address has the threshold, so that loading the page again and going back keep it", async () => {
  const { path } = licenses();
  const { page, go, close } = await open(path);
  const dropped = async (least) => page.waitForFunction((least) => document.querySelector('[data-testid="dropped"]')?.textContent === least, least);
  const own = await page.getByTestId("dropped").textContent();
  await move(page, 0.9);
  await page.waitForURL("**#/?threshold=0.9");
  const moved = await page.getByTestId("dropped").textContent();
  assert.notEqual(moved, own);
  await page.getByRole("link", { name: "Groups", exact: true }).click();
  await page.waitForURL("**#/groups?threshold=0.9");
  await page.reload();
  await page.waitForSelector("text=Shown: threshold 0.9");
  await page.goBack();
  await dropped(moved);
  await page.getByRole("button", { name: "Back to the run" }).click();
  await dropped(own);
  await page.getByRole("link", { name: "Groups", exact: true }).click();
  await page.waitForSelector('h1:has-text("Groups")');
  assert.equal(await page.locator(".moved").count(), 0);
  // Addresses that no view has.
  for (const address of ["#/document/999999", "#/group/x", "#/pair/1", "#/nothing"]) {
    await go(address);
    await page.waitForSelector("text=This report has no such page.");
  }
  for (const address of ["#/?threshold=7", "#/?threshold=x", "#/?threshold="]) {
    await page.goto("about:blank");
    await go(address);
    await dropped(own);
  }
  await close();
});

test("each pair and each change says what happened to which document", async () => {
  const { path } = licenses();
  const { page, go, close } = await open(path, "#/pairs");
  const kinds = { "left one": "left", "right one": "right", "both dropped": "both", "both kept": "none" };
  const seen = new Set();
  for (const row of await page.locator(".list-row").all()) {
    const text = await row.textContent();
    const kind = Object.keys(kinds).find((start) => text.includes(start));
    assert.ok(kind, text);
    seen.add(kind);
  }
  assert.ok(seen.size > 2, [...seen].join());
  // The sentence of a pair names the document that is dropped, and its verdict is beside the text.
  await page.locator('.list-row:has-text("dropped for")').first().click();
  await page.waitForSelector(".why");
  assert.match(await page.locator(".why").textContent(), /^“.+” is (dropped because of “.+”|kept)\. “.+” is (dropped because of “.+”|kept)\.$/);
  await go("#/pairs");
  await page.locator('.list-row:has-text("both kept")').first().click();
  await page.waitForSelector(".why");
  assert.match(await page.locator(".why").textContent(), /^Both are kept: their resemblance, 0\.\d+, is below 0\.8\.$/);

  await go("#/changes?threshold=0.6");
  const filters = page.locator(".actions button[aria-pressed]");
  const counts = (await filters.allTextContents()).map((text) => Number.parseInt(text.replace(/\D/g, "")));
  assert.equal(counts[0], counts[1] + counts[2] + counts[3]);
  const press = async (at) => {
    await filters.nth(at).click();
    await page.waitForFunction((at) => document.querySelectorAll(".actions button[aria-pressed]")[at].ariaPressed === "true", at);
  };
  for (const at of [1, 2, 3]) {
    await press(at);
    assert.equal(await page.locator(".list-row").count() > 0, counts[at] > 0);
  }
  // A group of the run whose kept document is dropped at this threshold.
  await press(1);
  const d = (await page.locator(".list-row").first().getAttribute("href")).split("/").at(-1);
  await go(`#/group/${d}?threshold=0.6`);
  await page.waitForSelector("text=It is in the group of");

  // The results of a search can be walked through.
  await page.keyboard.press("/");
  await page.keyboard.type("apache");
  await page.keyboard.press("Enter");
  await arrived(page, "#/search/apache");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await arrived(page, /^document\//);
  await close();
});

test("the decisions of the page are applied by the command", async () => {
  const { path } = licenses();
  const { page, go, close } = await open(path);
  await move(page, 0.9);
  // Every kept document of a group is shown as its representative, at this threshold too.
  await go("#/groups");
  for (const at of [0, 1, 5]) {
    await page.locator(".list-row").nth(at).click();
    await arrived(page, /^group\//);
    assert.equal(await page.locator(".card .verdict").first().textContent(), "kept: represents a group");
    await page.keyboard.press("Backspace");
    await arrived(page, "#/groups");
  }
  await go("#/changes");
  const decisions = await download(page, "Decisions");
  const [kept, core] = [join(folder, "kept.jsonl"), join(folder, "core-kept.jsonl")];
  run("apply", decisions, data("licenses.jsonl.zst"), "-o", kept);
  run("dedup", data("licenses.jsonl.zst"), "--threshold", "0.9", "--bands", "21", "--rows", "6", "--no-decisions", "-o", core);
  assert.ok(readFileSync(kept).equals(readFileSync(core)));
  const dropped = lines(await download(page, "Dropped ids"));
  assert.deepEqual(dropped, lines(decisions).filter((one) => one.verdict === "dropped").map((one) => one.id));
  await close();
});

test("groups can be searched, filtered and walked through with keys", async () => {
  const { path, summary } = licenses();
  const { page, close } = await open(path, "#/groups");
  assert.equal(await page.locator("main [role=status]").textContent(), `${summary.representatives} groups`);
  // Only the rows in view are in the page.
  assert.ok((await page.locator(".list-row").count()) < 60);
  await page.keyboard.press("End");
  await page.waitForSelector(`.list-item[aria-posinset="${summary.representatives}"] a:focus`);
  await page.keyboard.press("Home");
  await page.waitForSelector('.list-item[aria-posinset="1"] a:focus');
  await page.keyboard.press("j");
  await page.waitForSelector('.list-item[aria-posinset="2"] a:focus');
  await page.keyboard.press("k");
  await page.waitForSelector('.list-item[aria-posinset="1"] a:focus');
  await page.keyboard.press("Enter");
  await arrived(page, /^group\//);
  assert.ok((await page.locator("main").textContent()).includes(`${summary.largest_group} documents`));
  await page.keyboard.press("Backspace");
  await arrived(page, "#/groups");
  await page.getByLabel("Filter by id").fill("apache-2.0");
  await page.waitForFunction(() => document.querySelectorAll(".list-row").length < 20);
  const shown = await page.locator(".list-row").allTextContents();
  assert.ok(shown.length > 0);
  await page.getByLabel("Filter by id").fill("no such id");
  await page.waitForSelector("text=No group has all these properties.");
  await close();
});

test("the figures of the overview lead to the documents that they count", async () => {
  const { path, summary } = licenses();
  const { page, close } = await open(path);
  const status = () => page.locator("main > [role=status]").textContent();
  const decisions = join(folder, "of-documents.jsonl");
  run("dedup", data("licenses.jsonl.zst"), "--decisions", decisions);
  for (const verdict of ["kept", "dropped"]) {
    await page.click(`.tile a[href^="#/documents/${verdict}"]`);
    await arrived(page, `#/documents/${verdict}`);
    const ids = lines(decisions)
      .filter((one) => one.verdict === verdict)
      .map((one) => one.id);
    assert.equal(ids.length, summary[verdict]);
    assert.equal(await status(), `${ids.length.toLocaleString("en")} of ${summary.documents.toLocaleString("en")} documents`);
    assert.equal(await page.locator(".list-row .short").first().textContent(), ids[0]);
    await page.keyboard.press("Backspace");
    await arrived(page, "#/");
  }
  await page.click('.tile a[href^="#/documents/dropped"]');
  await arrived(page, "#/documents/dropped");
  await page.selectOption("main select", "x");
  await arrived(page, "#/documents/x");
  const exact = lines(decisions).filter((one) => one.reason === "exact");
  await page.waitForFunction((count) => document.querySelector("main > [role=status]").textContent.startsWith(`${count} of `), exact.length);
  assert.ok((await page.locator(".list-row .verdict").allTextContents()).every((name) => name === "dropped: same text"));
  await close();
});

test("lists are as they were left", async () => {
  const { path } = licenses();
  const { page, close } = await open(path, "#/groups");
  const top = () => page.locator(".list").evaluate((list) => list.scrollTop);
  await page.getByLabel("Sort by").selectOption("id");
  await page.getByLabel("Similarity from").fill("0.9");
  await page.waitForSelector('button:has-text("Show all")');
  const before = await page.locator("main [role=status]").textContent();
  await page.locator(".list").evaluate((list) => (list.scrollTop = 440));
  await page.waitForSelector('.list-item[aria-posinset="20"]');
  await page.locator('.list-item[aria-posinset="12"] a').click();
  await arrived(page, /^group\//);
  await page.goBack();
  await arrived(page, "#/groups");
  assert.equal(await page.locator("main [role=status]").textContent(), before);
  assert.equal(await page.getByLabel("Sort by").inputValue(), "id");
  assert.equal(await top(), 440);
  await page.click('button:has-text("Show all")');
  await page.waitForFunction((old) => document.querySelector("main [role=status]").textContent !== old, before);
  assert.equal(await page.getByLabel("Similarity from").inputValue(), "0");
  assert.equal(await top(), 0);
  await close();
});

test("the search counts what it finds, ids first, with the words around", async () => {
  const input = join(folder, "found.jsonl");
  const text = (at) => `Document ${at} of one hundred and thirty, which differ in one number only and have a 🦊 needle in the middle of their text.`;
  const records = Array.from({ length: 130 }, (_, at) => ({ id: `d${at}`, text: text(at) }));
  records.push({ id: "a needle", text: `${text(1)} Again.` }, { id: "needle", text: text(2) }, { id: "needles", text: text(3) });
  writeFileSync(input, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const { path } = report("found", "dedup", input);
  const { page, go, close } = await open(path, "#/search/needle");
  await page.waitForSelector("text=The first 100 of 133 documents:");
  const rows = await page.locator(".plain-list .list-row > .short").allTextContents();
  assert.deepEqual(rows.slice(0, 4), ["needle", "needles", "a needle", "d0"]);
  const around = await page.locator(".plain-list .list-row .snippet").first().textContent();
  assert.match(around, /^…[^…]+ have a 🦊 needle in the middle of their text\.$/u);
  await go("#/search/nothing%20of%20this");
  await page.waitForSelector("text=No document in this report has this id or text.");
  await close();
});

test("only words are marked, and a caret shows where the other text has more", async () => {
  const input = join(folder, "marks.jsonl");
  const words = (from) => Array.from({ length: 60 }, (_, at) => `w${from + at}`).join(" ");
  const first = `${words(0)} (“added”), ${words(100)} old ${words(200)}`;
  const second = `${words(0)}, ${words(100)} new ${words(200)}`;
  writeFileSync(input, [first, second].map((text, id) => `${JSON.stringify({ id, text })}\n`).join(""));
  const { path } = report("marks", "dedup", input);
  const { page, close } = await open(path, "#/pair/0/1");
  await page.waitForSelector(".text-box mark.only");
  const marks = (side) => page.locator(".side").nth(side).locator("mark.only").allTextContents();
  assert.deepEqual(await marks(0), ["added", "old"]);
  assert.deepEqual(await marks(1), ["new"]);
  // No caret where both texts have words of their own.
  assert.equal(await page.locator(".side").nth(0).locator(".caret").count(), 0);
  assert.equal(await page.locator(".side").nth(1).locator(".caret").count(), 1);
  const before = await page.locator(".side").nth(1).locator(".caret").evaluate((caret) => caret.previousSibling.textContent);
  assert.ok(before.endsWith("w59") || before.endsWith("w59, "), before);
  await close();
});

test("a document says why it was dropped, and its two texts are side by side", async () => {
  const { path } = licenses();
  const decisions = join(folder, "decisions.jsonl");
  run("dedup", data("licenses.jsonl.zst"), "--decisions", decisions);
  const records = join(folder, "records.jsonl");
  run("dedup", data("licenses.jsonl.zst"), "--threshold", "1", "--method", "exact", "--label", "-o", records);
  const texts = new Map(lines(records).map((one) => [one.id, one.text]));
  const near = lines(decisions).filter((one) => one.reason === "near");
  const { page, close } = await open(path);
  for (const { id, representative, resemblance } of [near[0], near[near.length >> 1], near.at(-1)]) {
    await page.keyboard.press("/");
    await page.keyboard.press("Control+A");
    await page.keyboard.type(id);
    await page.keyboard.press("Enter");
    await arrived(page, `#/search/${encodeURIComponent(id)}`);
    await page.locator(".plain-list a").first().click();
    const cut = (Math.floor(resemblance * 1e4 + 1e-9) / 1e4).toFixed(4);
    await page.waitForSelector(`text=Dropped: its resemblance with “${representative}” is ${cut}, at least 0.8.`);
    await page.click("text=Compare with");
    await page.waitForSelector(".side .text-box [data-part]");
    const shown = await page.locator(".side .text-box").evaluateAll((boxes) => boxes.map((box) => box.textContent));
    assert.deepEqual(shown, [texts.get(representative), texts.get(id)].map((text) => text.slice(0, shown[0].length + 70_000)));
    // What is marked as shared in one text is in the other text, word for word.
    const words = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
    const other = ` ${words(texts.get(representative))} `;
    const shared = await page.locator(".side").nth(1).locator(".shared[data-part]").allTextContents();
    for (const part of shared) assert.ok(other.includes(` ${words(part)} `), part);
    const count = Number.parseInt(await page.locator(".compare-actions [role=status]").textContent()) || 0;
    if (count) {
      await page.keyboard.press("n");
      await page.waitForSelector("mark.current");
      await page.keyboard.press("p");
      await page.waitForSelector("mark.current");
    }
  }
  await close();
});

test("every view is accessible, in light and dark, on a phone, in both languages", async () => {
  // The place of a document is longer than the lines of a phone, and cannot be divided at a space or a hyphen.
  const long = mkdtempSync(join(tmpdir(), "a_long_name_of_a_folder_on_the_disk_"));
  after(() => rmSync(long, { recursive: true }));
  copyFileSync(data("licenses.jsonl.zst"), join(long, "l.jsonl.zst"));
  const { path } = report("long", "dedup", join(long, "l.jsonl.zst"));
  for (const settings of [
    { colorScheme: "light" },
    { colorScheme: "dark" },
    { viewport: { width: 390, height: 844 }, colorScheme: "light" },
    { locale: "zh-CN", colorScheme: "dark" },
  ]) {
    const { page, go, close } = await open(path, "#/", settings);
    const closest = await page.locator(".plain-list a").first().getAttribute("href");
    const group = await page.locator('.tile a[href^="#/group/"]').getAttribute("href");
    const d = closest.split("/").at(-1);
    assert.equal(await page.evaluate(() => document.documentElement.lang), settings.locale ? "zh-Hans" : "en");
    await move(page, 0.9);
    for (const address of ["#/", "#/groups", group, "#/documents/", "#/pairs", closest, `#/document/${d}`, "#/search/license", "#/changes"]) {
      await go(address);
      if (address === closest) await page.waitForSelector(".text-box");
      await accessible(page, address, JSON.stringify(settings));
      await fits(page, address);
    }
    await page.emulateMedia({ media: "print" });
    await page.pdf();
    await close();
  }
});

test("hostile data is shown as text", async () => {
  const attack = '</script><script>document.title="attacked"</script><img src=x onerror="document.title=\'attacked\'"><!-- ';
  const words = (seed) => Array.from({ length: 40 }, (_, at) => `${seed}${at}`).join(" ");
  const records = [
    { id: attack, text: `${attack} ${words("a")}` },
    { id: `${attack}2`, text: `${attack} ${words("a")} more` },
    { id: "nul\u0000 and \u202Ereversed\u202C", text: `\u0000 \u001b[31m red \u202E reversed \u202C zero\u200Bwidth ${words("b")}` },
    { id: "nul\u0000 2", text: `\u0000 \u001b[31m red \u202E reversed \u202C zero\u200Bwidth ${words("b")} more` },
    { id: "million", text: `${"x".repeat(100)} `.repeat(10_000) },
    { id: "million 2", text: `${"x".repeat(100)} `.repeat(10_001) },
    { id: 'quo"te\\\n', text: words("c") },
    { id: "long ".repeat(2000), text: words("c") },
    { id: "عربي", text: `مرحبا بالعالم ${words("ع")}` },
    { id: "عربي ٢", text: `مرحبا بالعالم ${words("ع")} نهاية` },
    { id: "empty", text: " " },
    { id: 18446744073709551615n, text: words("d") },
    { id: "__proto__", text: `${words("d")} end` },
  ];
  const json = (record) => `{"id": ${typeof record.id === "bigint" ? record.id : JSON.stringify(record.id)}, "text": ${JSON.stringify(record.text)}, "kind": ${JSON.stringify(attack)}}`;
  const input = join(folder, "hostile <b>&amp;.jsonl");
  writeFileSync(input, records.map(json).join("\n"));
  const { path, summary } = report("hostile", "dedup", input, "--report-by", "kind");
  assert.equal(summary.dropped, 6);
  const { page, go, close } = await open(path);
  assert.ok((await page.locator("h1").textContent()).endsWith("hostile <b>&amp;.jsonl"));
  for (const address of ["#/groups", "#/pairs", ...records.map((_, at) => `#/document/${at}`), "#/search/%3Cscript", "#/pair/0/1", "#/pair/2/3", "#/pair/4/5", "#/pair/8/9", "#/nonsense", "#/pair/99/-1", "#/%E0%A4%A"]) {
    await go(address);
    assert.notEqual(await page.title(), "attacked");
    assert.equal(await page.locator("main img, main script, main iframe").count(), 0);
  }
  await go("#/document/0");
  await page.waitForSelector(".text-box");
  assert.equal(await page.locator(".text-box").textContent(), records[0].text);
  await go("#/document/2");
  await page.waitForSelector(".text-box");
  const shown = await page.locator(".text-box").textContent();
  for (const mark of ["U+0000", "U+001B", "U+202E", "U+202C", "U+200B"]) assert.ok(shown.includes(mark), shown);
  await go("#/document/4");
  await page.waitForSelector("text=The first 65,536 of 1,010,000 characters.");
  await go("#/document/8");
  assert.equal(await page.locator(".text-box").evaluate((box) => getComputedStyle(box).direction), "rtl");
  await go("#/changes");
  const decisions = readFileSync(await download(page, "Decisions"), "utf8");
  assert.ok(decisions.includes('{"id":18446744073709551615,'), decisions);
  assert.notEqual(await page.title(), "attacked");
  await close();
});

test("a report of pairs lists the pairs of the output", async () => {
  const [pairs, path] = ["pairs.jsonl", "pairs.html"].map((name) => join(folder, name));
  const copied = join(folder, "copied.jsonl");
  const text = "one two three four five six seven eight nine ten";
  const records = [
    { id: "a", text },
    { id: "b", text: text.toUpperCase() },
    { id: "c", text: `${text} eleven` },
    { id: "d", text: "nothing that the others have, of any kind" },
  ];
  writeFileSync(copied, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
  for (const [input, ...flags] of [[data("licenses.jsonl.zst"), "--threshold", "0.7"], [copied], [copied, "--nearest", "1"], [copied, "--verify", "none"]]) {
    run("pairs", input, ...flags, "-o", pairs, "--report", path, "--quiet");
    const listed = new Map(lines(pairs).map(({ a, b, resemblance }) => [[a, b].sort().join(" "), resemblance]));
    const { page, go, close } = await open(path);
    const count = `${listed.size.toLocaleString("en")}pairs`;
    assert.ok((await page.locator(".tile").allTextContents()).includes(count), count);
    await go("#/pairs");
    assert.equal(await page.locator("main [role=status]").textContent(), `${listed.size.toLocaleString("en")} pairs`);
    if (input === copied) {
      const shown = await page.locator(".list-row").evaluateAll((rows) => rows.map((row) => [row.querySelector(".figure").textContent, ...[...row.querySelectorAll(".short")].map((id) => id.textContent)]));
      const wanted = [...listed].map(([ids, similarity]) => [similarity === undefined ? "–" : similarity === 1 ? "1" : (Math.floor(similarity * 1e4 + 1e-9) / 1e4).toFixed(4), ...ids.split(" ")]);
      assert.deepEqual(shown.map(([figure, ...ids]) => [figure, ...ids.sort()]).sort(), wanted.sort());
      for (const [at, { id }] of records.entries()) {
        const own = [...listed.keys()].filter((ids) => ids.split(" ").includes(id)).length;
        await go(`#/document/${at}`);
        const why = ["No other document is similar to it.", "It is similar to 1 other document.", "It is similar to 2 other documents."][own];
        await page.waitForSelector(`.why:text-is("${why}")`);
        assert.equal(await page.locator(".plain-list .list-row").count(), own);
      }
    } else {
      assert.ok(listed.size > 1000);
      const [first, second] = await page.locator(".list-row").evaluateAll((rows) => rows.map((row) => row.getAttribute("href")));
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await arrived(page, first);
      await page.waitForSelector(".side .text-box");
      await page.keyboard.press("]");
      await arrived(page, second);
      await page.waitForSelector(".side .text-box");
    }
    await close();
  }
});

test("groups that were not measured have no similarities, and the rule is that of components", async () => {
  const { path } = report("connected", "dedup", data("licenses.jsonl.zst"), "--cluster", "components", "--verify", "none");
  const { page, go, close } = await open(path, "#/groups");
  const tags = await page.locator(".list-row .tag").allTextContents();
  assert.ok(tags.length > 10);
  assert.ok(tags.every((tag) => tag === "–" || tag === "1"), tags.join());
  assert.ok(tags.includes("–"));
  await go("#/");
  await page.waitForSelector("text=Documents that are connected by pairs");
  await close();
});

test("a list that was empty fills its box, and keys work where they belong", async () => {
  const { path } = licenses();
  const { page, go, close } = await open(path, "#/groups");
  const rows = await page.locator(".list-row").count();
  await page.getByLabel("Filter by id").fill("no such id");
  await page.waitForSelector("text=No group has all these properties.");
  await go("#/documents/dropped");
  await go("#/groups");
  await page.waitForSelector("text=No group has all these properties.");
  await page.keyboard.press("j");
  await page.click('button:has-text("Show all")');
  await page.waitForFunction((before) => document.querySelectorAll(".list-row").length >= before, rows);
  // The tab key goes to one row only, the last one that was in focus.
  assert.equal(await page.locator('.list-row[tabindex="0"]').count(), 1);
  // Numbers can be typed.
  const from = page.getByLabel("Similarity from");
  await from.fill("");
  await from.pressSequentially("0.95");
  assert.equal(await from.inputValue(), "0.95");
  await page.getByLabel("At least").fill("");
  assert.equal(await page.getByLabel("At least").inputValue(), "");
  await page.click('button:has-text("Show all")');
  // The keys of a text scroll the text, and not the list below it.
  await page.locator(".list-row").first().click();
  await arrived(page, /^group\//);
  await page.locator(".text-box").focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => {
    const box = document.querySelector(".text-box");
    return box.scrollTop + box.clientHeight >= box.scrollHeight - 2;
  });
  assert.ok(await page.locator(".text-box").evaluate((box) => box === document.activeElement));
  await close();
});

test("going back restores the threshold of the view", async () => {
  const { path } = licenses();
  const { page, close } = await open(path);
  await page.click('nav a:has-text("Groups")');
  await arrived(page, "#/groups");
  await page.click('nav a:has-text("Overview")');
  await arrived(page, "#/overview");
  await move(page, 0.9);
  await page.waitForFunction(() => location.hash.endsWith("?threshold=0.9"));
  await page.fill(".threshold-number", "7");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".threshold-number").value === "1");
  await page.goBack();
  await arrived(page, "#/groups");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector(".threshold-number")?.value === "0.8");
  await page.goForward();
  await page.goForward();
  await page.waitForFunction(() => document.querySelector(".threshold-number")?.value === "1");
  await close();
});

test("when one text is scrolled, the other follows to the same shared part", async () => {
  const input = join(folder, "scrolled.jsonl");
  const part = (name, count) => Array.from({ length: count }, (_, at) => `${name} ${at} ${(at * 7919) % 1009} ${(at * 104729) % 997} line`).join("\n");
  const shared = part("shared", 400);
  const texts = [`${part("intro", 60)}\n${shared}`, `${shared}\n${part("end", 20)}`];
  writeFileSync(input, texts.map((text, id) => JSON.stringify({ id, text })).join("\n"));
  const { path } = report("scrolled", "pairs", input, "--threshold", "0.5", "-o", join(folder, "scrolled-pairs.jsonl"));
  const { page, close } = await open(path, "#/pair/0/1");
  await page.waitForSelector(".side .text-box");
  const first = (side) =>
    page.evaluate((side) => {
      // The number of the first line in view.
      const box = document.querySelectorAll(".side .text-box")[side];
      const height = box.scrollHeight / box.textContent.split("\n").length;
      return box.scrollTop / height - (side ? 0 : 60);
    }, side);
  for (const line of [100, 250]) {
    await page.locator(".side .text-box").first().evaluate((box, line) => (box.scrollTop = (box.scrollHeight / 460) * (60 + line)), line);
    await page.waitForFunction((line) => {
      const box = document.querySelectorAll(".side .text-box")[1];
      return Math.abs(box.scrollTop / (box.scrollHeight / 420) - line) < 3;
    }, line);
    assert.ok(Math.abs((await first(0)) - line) < 3);
  }
  await page.locator(".side .text-box").nth(1).evaluate((box) => (box.scrollTop = 0));
  await page.waitForFunction(() => {
    const box = document.querySelectorAll(".side .text-box")[0];
    return Math.abs(box.scrollTop / (box.scrollHeight / 460) - 60) < 3;
  });
  await close();
});

test("the shared parts of many long texts have a budget", async () => {
  const input = join(folder, "long.jsonl");
  const text = Array.from({ length: 9000 }, (_, at) => `w${(at * 7919) % 10007}`).join(" ");
  writeFileSync(input, Array.from({ length: 100 }, (_, id) => `${JSON.stringify({ id, text: `${text} end${id}` })}\n`).join(""));
  const { path } = report("long", "pairs", input, "-o", join(folder, "long-pairs.jsonl"));
  const { page, go, close } = await open(path);
  const line = await page.locator("li", { hasText: "marks of shared parts" }).textContent();
  const without = Number(line.replace(/\D/g, ""));
  assert.ok(without > 1000 && without < 4950, line);
  await go("#/pair/98/99");
  await page.waitForSelector(".side .text-box");
  await close();
});

test("reports are equal from run to run", () => {
  const [one, two] = ["one", "two"].map((name) => report(name, "dedup", data("ota_versions.jsonl.zst"), "--threads", name === "one" ? "1" : "2"));
  assert.ok(readFileSync(one.path).equals(readFileSync(two.path)));
});

test("passages are side by side, marked in both texts", async () => {
  const path = join(folder, "passages.html");
  const out = join(folder, "passages.jsonl");
  run("passages", data("ota_versions.jsonl.zst"), "--least", "12", "--no-text", "-o", out, "--report", path, "--quiet");
  const found = lines(out);
  const { page, close } = await open(path);
  const number = (value) => new Intl.NumberFormat("en").format(value);
  assert.equal(await page.locator(".tile").nth(1).textContent(), `${number(found.length)}pairs`);
  await page.locator(".plain-list a").first().click();
  await page.waitForSelector(".text-box mark.only");
  const ids = await page.locator(".side h2").allTextContents();
  const pair = found.find(({ a, b }) => a === ids[0] && b === ids[1]);
  // The marked parts of each text are the runs of the output, as words.
  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const side of [0, 1]) {
    const marked = (await page.locator(".side").nth(side).locator("mark").allTextContents()).flatMap(words).length;
    const expected = side ? pair.shared_b : pair.shared_a;
    const whole = await page.locator(".side").nth(side).locator("text=The first").count();
    if (!whole) assert.ok(Math.abs(marked - expected) <= 0.03 * expected, `${marked} ${expected}`);
  }
  // The same passage in the other text has a frame for a moment.
  await page.evaluate(() => {
    const seen = new MutationObserver(() => (document.body.dataset.flashed ??= document.querySelector(".flash")?.textContent));
    seen.observe(document.querySelector("main"), { subtree: true, attributes: true });
  });
  await page.keyboard.press("n");
  await page.waitForSelector("mark.current");
  await page.waitForSelector("[data-flashed]");
  await close();
});

/** Two essays of which one was copied from a source and changed: words replaced, sentences in another order. */
function copied() {
  const [source, essay] = ["source.txt", "essay.txt"].map((name) => join(folder, name));
  const sentences = [
    "The committee met in Geneva in the spring of 1921 and discussed the partition of the harbour.",
    "Delegates from eleven coastal states objected to the tariff schedule that the treasury had drafted.",
    "A compromise was signed after nine days of stubborn negotiation, and the fishing fleets returned to their usual grounds.",
  ];
  const other = "Thirty years later, an astronomer in Uppsala measured the parallax of a faint red star near Cygnus and doubted her own figures for weeks.";
  const between = Array.from({ length: 120 }, (_, at) => `filler${at}`).join(" ");
  const changed = [sentences[1].replace("Delegates", "𝒳 Emissaries").replace("tariff", "customs"), sentences[2].replace("A compromise", "A deal"), sentences[0].replace(" in the spring", " during the spring")];
  writeFileSync(source, `${other} ${sentences.join(" ")}`);
  writeFileSync(essay, `Nothing prepared me for this. ${changed.join(" ")} ${between} ${other.replace("faint", "dim")}`);
  return [source, essay];
}

test("regions are marked in both texts, with their measures", async () => {
  const [out, path] = ["regions.jsonl", "regions.html"].map((name) => join(folder, name));
  run("passages", ...copied(), "--regions", "--min-tokens", "10", "--offsets", "chars", "-o", out, "--report", path, "--quiet");
  const [pair] = lines(out);
  assert.equal(pair.passages.length, 2);
  for (const settings of [{}, { locale: "zh-CN", colorScheme: "dark", viewport: { width: 390, height: 844 } }]) {
    const { page, go, close } = await open(path, "#/", settings);
    assert.ok((await page.locator(".tile").first().textContent()).startsWith("2"));
    await go("#/pairs");
    assert.ok((await page.locator(".list-row .tag").textContent()).startsWith("2"));
    await go("#/pair/0/1");
    await page.waitForSelector(".regions tbody tr");
    // The table has the figures of the output, in the order of the first text.
    const cells = await page.locator(".regions tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
    const percent = (share) => `${(100 * share).toFixed(1)}`;
    const expected = pair.passages.map(({ tokens, density, score }, at) => [String(at + 1), String(tokens), percent(density), String(Math.round(10 * score) / 10)]);
    assert.deepEqual(cells.map((row) => row.map((cell) => cell.replace(/\s*%$/, ""))), expected.map(([number, tokens, density, score]) => [number, tokens, density.replace(/\.0$/, ".0"), score]));
    // In each text, every region is one band with exactly the text of the output.
    for (const side of [0, 1]) {
      const bands = await page.locator(".side").nth(side).locator(".text-box").evaluate((box) => {
        const found = [];
        for (const element of box.children) {
          if (element.classList.contains("region-number")) found.push({ number: Number(element.textContent), text: "" });
          else if (element.classList.contains("in-region")) found.at(-1).text += element.textContent;
        }
        return found.sort((x, y) => x.number - y.number).map(({ text }) => text);
      });
      assert.deepEqual(bands, pair.passages.map((passage) => (side ? passage.text_b : passage.text_a)));
      const marked = (await page.locator(".side").nth(side).locator("mark.in-region").allTextContents()).join(" ");
      assert.ok(marked.includes("eleven coastal states") && !/tariff|customs/.test(marked), marked);
    }
    // A click on a region shows it in both texts, and keys go from one to the next.
    await page.locator(".regions button").nth(1).click();
    await page.waitForSelector('.regions tr[aria-current="true"]');
    for (const side of [0, 1]) {
      const current = (await page.locator(".side").nth(side).locator(".current-region").allTextContents()).join("");
      assert.equal(current, side ? pair.passages[1].text_b : pair.passages[1].text_a);
    }
    await page.keyboard.press("n");
    await page.waitForFunction(() => document.querySelector('.regions tr[aria-current="true"] button')?.textContent === "1");
    await go("#/pair/1/0");
    assert.ok((await page.locator(".side h2").first().textContent()).includes("essay.txt"));
    await page.waitForSelector(".regions tbody tr");
    const swapped = await page.locator(".side").first().locator(".current-region, .in-region").allTextContents();
    assert.ok(swapped.join("").includes("customs schedule"), swapped.join(""));
    await accessible(page);
    await fits(page);
    await close();
  }
});

test("methods are side by side in a report of eval", async () => {
  const path = join(folder, "eval.html");
  const summary = run("eval", data("licenses.jsonl.zst"), "--sample", "100", "--run", "", "--run", "--method simhash", "--run", "--method exact", "--report", path);
  for (const settings of [{}, { locale: "zh-CN", colorScheme: "dark", viewport: { width: 390, height: 844 } }]) {
    const { page, close } = await open(path, "#/", settings);
    const rows = await page.locator(".methods tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(rows.map(([label]) => label), summary.runs.map((one) => one.label));
    rows.forEach((row, at) => assert.equal(row[5], new Intl.NumberFormat("en").format(summary.runs[at].dropped)));
    await page.waitForSelector(".chart canvas");
    assert.equal(await page.locator(".chart canvas").count(), 1);
    await accessible(page);
    await fits(page);
    await close();
  }
});

test("a notebook shows the page in a frame that cannot reach it", async () => {
  const { path } = licenses();
  const opened = await context(chromium, { viewport: { width: 1280, height: 900 }, locale: "en" });
  const page = await opened.newPage();
  const escaped = readFileSync(path, "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const notebook = join(folder, "notebook.html");
  writeFileSync(notebook, `<!doctype html><title>notebook</title><iframe sandbox="allow-scripts allow-downloads" style="width:100%;height:800px" srcdoc="${escaped}"></iframe>`);
  await page.goto(`file://${notebook}`);
  const frame = page.frameLocator("iframe");
  await frame.locator("main h1").waitFor();
  await frame.locator("nav a").nth(1).click();
  await frame.locator('h1:has-text("Groups")').waitFor();
  await frame.locator(".list-row").first().click();
  await frame.locator('h1:has-text("Group of")').waitFor();
  assert.equal(await page.title(), "notebook");
  await opened.close();
});

test("links are shown field by field, with a waterfall of the score", async () => {
  const people = [
    { id: 1, name: "Ann Lee", born: "1970-01-02", town: "Springfield" },
    { id: 2, name: "Anne Lee", born: "1970-01-02", town: "Springfield" },
    { id: 3, name: "Bob <b>Ray</b>", born: "1980-03-04", town: "" },
    { id: 4, name: "Bob Ray", born: "1980-03-04", town: "Shelbyville" },
  ];
  const [input, config, out, path] = ["people.jsonl", "link.toml", "links.jsonl", "link.html"].map((name) => join(folder, name));
  // A number that JavaScript would round.
  writeFileSync(input, people.map((one) => JSON.stringify(one).replace('"id":3,', '"id":12345678901234567891,')).join("\n"));
  const field = (name, type) => `[[field]]\nname = "${name}"\ntype = "${type}"\n`;
  writeFileSync(config, `match = 0.95\npossible = 0.3\n${field("name", "name")}${field("born", "date")}${field("town", "text")}[[block]]\nequal = ["born"]\n`);
  run("link", input, "-c", config, "-o", out, "--report", path, "--quiet");
  const found = readFileSync(out, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line.replace(/"(a|b)":(\d+)/g, '"$1":"$2"')));
  assert.equal(found.length, 2);
  assert.ok(found.some(({ a }) => a === "12345678901234567891"));
  const { page, go, close } = await open(path);
  assert.equal(await page.locator(".tile").first().textContent(), "4records");
  for (const { a, b, score, verdict, points } of found) {
    await go("#/pairs");
    await page.locator(".list-row", { hasText: `${a} ↔ ${b}` }).click();
    await page.waitForSelector(".fields");
    const text = await page.locator(".why").textContent();
    assert.ok(text.includes((Math.floor(score * 1e4 + 1e-9) / 1e4).toFixed(4)) || score === 1, text);
    assert.ok(text.startsWith(verdict === "match" ? "match" : "possible match"), text);
    const rows = await page.locator(".fields tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(rows.map(([name]) => name), Object.keys(points));
    rows.forEach(([name, , , , shown]) => assert.equal(shown, points[name] === null ? "not counted" : `${points[name].toFixed(2)} / 100`));
    await accessible(page);
  }
  await close();
});

test("learned weights add up from the odds of any pair to the probability of a match", async () => {
  const names = ["Anna", "Berta", "Carla", "Dora", "Emil", "Fritz", "Georg"];
  const towns = ["Kiel", "Bremen", "Ulm", "Passau", "Jena"];
  const people = [];
  for (let at = 0; at < 150; at++) {
    const born = `${1910 + ((at * 7) % 83)}-0${1 + (at % 9)}-${10 + (at % 19)}`;
    const person = { name: `${names[at % 7]} ${towns[(at * 3) % 5]}er`, born, town: towns[(at * 7) % 5] };
    people.push({ id: `p${at}`, ...person });
    if (at % 3 === 0) people.push({ id: `q${at}`, ...person, name: at % 2 ? person.name.replace("a", "e") : person.name, town: at % 4 ? person.town : "" });
  }
  const [input, config, out, path] = ["learned.jsonl", "learned.toml", "learned-links.jsonl", "learned.html"].map((name) => join(folder, name));
  writeFileSync(input, people.map((one) => JSON.stringify(one)).join("\n"));
  const field = (name, type) => `[[field]]\nname = "${name}"\ntype = "${type}"\n`;
  writeFileSync(config, `weights = "learned"\n${field("name", "name")}${field("born", "date")}${field("town", "name")}`);
  run("link", input, "-c", config, "-o", out, "--report", path, "--quiet");
  // The pairs nearest to the threshold are the first ones of the list.
  const doubt = ({ probability }) => Math.abs(probability - 0.5);
  const [first] = readFileSync(out, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)).sort((x, y) => doubt(x) - doubt(y));
  const { page, close } = await open(path, "#/pairs");
  await page.locator(".list-row", { hasText: `${first.a} ↔ ${first.b}` }).first().click();
  await page.waitForSelector(".fields");
  assert.match(await page.locator(".why").textContent(), /the probability is [\d.]+: -[\d.]+ bits for any pair, and -?[\d.]+ bits from the fields/);
  const rows = await page.locator(".fields tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  rows.forEach(([name, , , , shown]) => assert.ok(shown.startsWith(first.weights[name] === null ? "not counted" : first.weights[name].toFixed(2)), shown));
  // Each bar begins where the one before ends, and all are within the chart.
  const chart = await page.locator(".waterfall").evaluateAll((all) =>
    all.map((one) => [one, one.querySelector(".waterfall-bar"), one.querySelector(".waterfall-mark")].map((part) => part.getBoundingClientRect())),
  );
  for (const [whole, bar, mark] of chart) {
    for (const part of [bar, mark]) assert.ok(part.left >= whole.left - 1 && part.right <= whole.right + 3, JSON.stringify([whole, part]));
  }
  chart.slice(1).forEach(([, bar], at) => {
    const ends = [chart[at][1].left, chart[at][1].right];
    assert.ok([bar.left, bar.right].some((edge) => ends.some((end) => Math.abs(edge - end) < 1.5)), JSON.stringify([bar, ends]));
  });
  await close();
});

test("links have charts of scores and thresholds, clusters, and records that cannot match", async () => {
  const people = [];
  for (let at = 0; at < 60; at++) {
    const person = { name: `Person ${String.fromCharCode(97 + (at % 26))}${at}x ${at * 37}`, born: `19${10 + at}-01-02`, who: at };
    people.push({ id: `p${at}`, ...person });
    if (at % 2 === 0) people.push({ id: `q${at}`, ...person, name: `${person.name.slice(0, -1)}<b>` });
    if (at % 10 === 0) people.push({ id: `r${at}`, ...person });
  }
  people.push({ id: "empty", name: "", born: "", who: 999 });
  const [input, config, out, path, summary] = ["many.jsonl", "many.toml", "many-links.jsonl", "many.html", "many.json"].map((name) => join(folder, name));
  writeFileSync(input, people.map((one) => JSON.stringify(one)).join("\n"));
  const field = (name, type) => `[[field]]\nname = "${name}"\ntype = "${type}"\n`;
  writeFileSync(config, `weights = "labelled"\n${field("name", "name")}${field("born", "date")}[[block]]\nequal = "born"\n[[block]]\nsimilar = "name"\nthreshold = 0.3\n`);
  run("link", input, "-c", config, "-o", out, "--label", "who", "--report", path, "--summary", summary, "--quiet");
  const told = JSON.parse(readFileSync(summary, "utf8"));
  const { page, close } = await open(path);
  const titles = await page.locator("figure.chart h3").allTextContents();
  assert.deepEqual(titles, ["Scores of pairs", "Other thresholds"]);
  await page.waitForFunction(() => document.querySelectorAll("figure.chart canvas").length === 2);
  const figures = await page.locator("table.methods tbody tr").first().locator("td").allTextContents();
  assert.equal(figures[0], String(told.thresholds.current.threshold));
  assert.equal(figures[4], told.thresholds.current.f1.toFixed(4));
  const card = page.locator(".card", { hasText: "Records that cannot match" });
  assert.ok((await card.textContent()).includes("1 record (") && (await card.locator("li").textContent()).startsWith("empty"));
  await accessible(page);
  await page.getByRole("link", { name: "Clusters", exact: true }).click();
  await arrived(page, "#/clusters");
  assert.ok((await page.locator("[role=status]").textContent()).startsWith(`${told.clusters} cluster`));
  // The largest clusters come first.
  const largest = told.largest_clusters[0];
  assert.ok((await page.locator(".list-row").first().textContent()).startsWith(`${largest.size}${largest.id}`));
  await accessible(page);
  await page.locator(".list-row").first().click();
  await page.waitForSelector(`h1:has-text("Cluster of ${largest.size} records")`);
  const ids = await page.locator(".fields tbody th").allTextContents();
  assert.deepEqual(ids, [largest.id, largest.id.replace("p", "q"), largest.id.replace("p", "r")]);
  assert.ok((await page.locator(".fields tbody").textContent()).includes("<b>") === false, "values are shown as they are compared");
  await accessible(page);
  // The weakest link leads to the two records field by field.
  await page.locator(".why a").click();
  await page.waitForSelector(".waterfall");
  const { a, b } = largest.weakest;
  assert.equal(await page.locator("h1").textContent(), `${a.id} ↔ ${b.id}`);
  await close();
});

test("mirrored sites are shown with their pages side by side", async () => {
  const root = join(folder, "sites");
  const words = (seed) => Array.from({ length: 60 }, (_, at) => `word${seed * 100 + at}`).join(" ");
  for (const [site, end] of [["old.example", ""], ["new.example", " and more"], ["other.example", null]]) {
    mkdirSync(join(root, site), { recursive: true });
    for (let number = 0; number < 6; number++) {
      const text = end === null ? words(50 + number) : `${words(number)}${number < 3 ? "" : end}`;
      writeFileSync(join(root, site, `page${number}.txt`), text);
    }
  }
  const [out, pages, path] = ["sites.jsonl", "pages.jsonl", "mirrors.html"].map((name) => join(folder, name));
  run("mirrors", root, "-o", out, "--pages", pages, "--report", path, "--quiet");
  const [site] = lines(out);
  assert.equal(lines(out).length, 1);
  const { page, go, close } = await open(path, "#/sites");
  const [row] = await page.locator(".list-row").allTextContents();
  assert.ok(row.includes(site.a) && row.includes(site.b) && row.startsWith("100.0 %"), row);
  await page.locator(".list-row").click();
  await page.waitForSelector('h1:has-text("old.example")');
  const shown = await page.locator(".list-row").count();
  assert.equal(shown, lines(pages).length);
  await page.locator(".list-row").first().click();
  await page.waitForSelector(".text-box mark.only");
  assert.deepEqual(await page.locator(".text-box mark.only").allTextContents(), ["and more"]);
  const before = await page.locator("main").getAttribute("data-address");
  await page.keyboard.press("]");
  await page.waitForFunction((before) => document.querySelector("main").dataset.address !== before, before);
  await page.waitForFunction(() => document.querySelectorAll(".side .text-box").length === 2);
  for (const address of ["#/", "#/sites", "#/site/0"]) {
    await go(address);
    await accessible(page);
  }
  await close();
});

test("pages that changed a lot are marked by how they were paired", async () => {
  const words = (seed, from = 0) => Array.from({ length: 60 - from }, (_, at) => `word${seed * 100 + at + from}`).join(" ");
  const root = join(folder, "changed");
  for (const [site, version] of [["old.example", 0], ["new.example", 1]]) {
    mkdirSync(join(root, site), { recursive: true });
    for (let number = 0; number < 4; number++) writeFileSync(join(root, site, `page${number}.txt`), words(number));
    writeFileSync(join(root, site, version ? "renamed.txt" : "rewritten.txt"), version ? `${words(7, 25)} ${words(8, 30)}` : words(7));
    writeFileSync(join(root, site, "replaced.txt"), words(20 + version));
  }
  const [out, pages, path] = ["changed.jsonl", "changed-pages.jsonl", "changed.html"].map((name) => join(folder, name));
  run("mirrors", root, "--changed", "-o", out, "--pages", pages, "--report", path, "--quiet");
  const by = lines(pages).map((one) => one.by);
  assert.deepEqual(by.toSorted(), ["match", "match", "match", "match", "path", "similarity"]);
  const { page, go, close } = await open(path, "#/site/0");
  assert.ok((await page.locator(".tile").allTextContents()).some((text) => text === "2more pairs of pages that changed a lot"));
  const rows = await page.locator(".list-row").allTextContents();
  const expected = { match: "match", similarity: "changed: lower similarity", path: "changed: same path only" };
  for (const one of lines(pages)) {
    const row = rows.find((text) => text.includes(one.a) && text.includes(one.b));
    assert.ok(row?.endsWith(expected[one.by]), `${row} ${one.by}`);
  }
  assert.equal(rows.length, by.length);
  await go("#/pairs");
  assert.equal(await page.locator(".list-row .tag").count(), 2);
  await close();
});

test("cuts are struck through in place, and lead to where the words are kept", async () => {
  const cuts = join(folder, "cuts.jsonl");
  const { path, summary } = report("cuts", "cut", data("licenses.jsonl.zst"), "--window", "20", "--cuts", cuts);
  const { page, go, close } = await open(path);
  const tiles = await page.locator(".tile").allTextContents();
  const n = new Intl.NumberFormat("en");
  assert.deepEqual(tiles.slice(0, 4), [`${n.format(summary.documents)}documents`, `${n.format(summary.unchanged)}unchanged`, `${n.format(summary.cut)}cut`, `${n.format(summary.dropped)}dropped`]);
  // The passages are those of the summary, and lead to their texts and to documents that lost them.
  const rows = await page.locator(".plain-list a").allTextContents();
  summary.largest.slice(0, 8).forEach(({ id, documents }, at) => assert.ok(rows[at].includes(id.slice(0, 10)) && rows[at].endsWith(`${n.format(documents)} documents`), rows[at]));
  await page.locator(".plain-list a").first().click();
  await page.waitForSelector('h1:has-text("Cut out of")');
  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const passage = words(await page.locator(".text-box").textContent()).join(" ");
  assert.ok(passage.startsWith(words(summary.largest[0].text.replace(/\S*…$/, "")).join(" ")));
  await page.locator(".plain-list a").first().click();
  await page.waitForSelector("del.cut");
  // The text without what is struck through is the remaining text.
  const id = await page.locator("h1").textContent();
  const line = lines(cuts).find((one) => one.id === id);
  const whole = (await page.locator(".text-box").evaluate((box) => [...box.childNodes].filter((node) => node.nodeName !== "INS").map((node) => node.textContent).join("")));
  const struck = await page.locator("del.cut").allTextContents();
  assert.deepEqual(struck, line.cuts.map(({ start, end }) => [...whole].slice(start, end).join("")));
  // Keys go through the cuts, and show where the words are kept.
  await page.keyboard.press("n");
  const current = (text) => page.waitForFunction((text) => document.querySelector("del.current")?.textContent === text, text);
  await current(struck[0]);
  const source = page.locator(".sources li[aria-current]");
  assert.ok((await source.textContent()).includes(line.cuts[0].source));
  const quote = (await source.locator(".quote").evaluate((box) => box.childNodes[1].textContent)).replace(/\S*…$/, "");
  assert.ok(words(struck[0]).join(" ").startsWith(words(quote).join(" ")));
  await page.locator(".sources .region-number").last().click();
  await current(struck.at(-1));
  await page.keyboard.press("]");
  await page.waitForFunction((id) => document.querySelector("h1").textContent !== id, id);
  // Lists are filtered.
  await go("#/documents");
  await page.locator(".filters select").selectOption("dropped");
  await page.waitForFunction(() => document.querySelector("[role=status]").textContent.includes(" of "));
  assert.ok((await page.locator(".list-row .verdict").allTextContents()).every((text) => text === "dropped"));
  await close();
  for (const settings of [{ colorScheme: "light" }, { colorScheme: "dark" }, { viewport: { width: 390, height: 844 } }, { locale: "zh-CN" }]) {
    const { page, go, close } = await open(path, "#/", settings);
    for (const address of ["#/", "#/passages", "#/passage/0", "#/documents", "#/document/0"]) {
      await go(address);
      await accessible(page, address, JSON.stringify(settings));
      await fits(page, address);
    }
    await close();
  }
});

test("a report of cuts says by which rules they were made", async () => {
  const [input, reference] = ["cut-rules.jsonl", "cut-reference.jsonl"].map((name) => join(folder, name));
  const records = ["a b c d e", "x a b c d"].map((text, id) => JSON.stringify({ id, text, lang: "en" }));
  writeFileSync(input, records.join("\n"));
  writeFileSync(reference, JSON.stringify({ id: "r", text: "c d e f", lang: "en" }));
  const notes = async (name, ...settings) => {
    const { path } = report(name, "cut", input, "--window", "3", ...settings);
    const { page, close } = await open(path);
    const notes = await page.locator("section.card .note").allTextContents();
    await close();
    return notes.filter((note) => /compared|references|order|line|bytes|case/.test(note));
  };
  assert.deepEqual(await notes("cut-usual"), ["Unless the run says otherwise, case, punctuation and white space do not count."]);
  const groups = await notes("cut-groups", "--within", "group:lang");
  assert.equal(groups[0], "Only documents with the same value of lang were compared.");
  assert.deepEqual(await notes("cut-rules", "--keep", "longest", "--against", reference, "--whole-lines", "--verbatim"), [
    "What the references contain was cut too. Nothing was cut out of them.",
    "The documents were processed in the order of --keep longest.",
    "A line was cut only if all of it occurs before.",
    "The bytes had to be equal.",
  ]);
  const alone = await notes("cut-alone", "--within", "document");
  assert.equal(alone[0], "Each document was compared with itself only.");
});

test("hostile texts and insertions are shown in a report of cuts", async () => {
  const attack = '<img src=x onerror="document.title=\'attacked\'">';
  const words = Array.from({ length: 12 }, (_, at) => `w${at}`).join(" ");
  const input = join(folder, "hostile-cuts.jsonl");
  const records = [
    { id: attack, text: `${attack} \u202e ${words}` },
    { id: "two", text: `😀漢 one${words.replaceAll(" ", "\n")}\u0000 two ${attack} \u202e ${words} end` },
    { id: 3, text: words },
  ];
  writeFileSync(input, records.map((one) => JSON.stringify(one)).join("\n"));
  const { path } = report("hostile-cuts", "cut", input, "--window", "4");
  const { page, go, close } = await open(path);
  for (const address of ["#/", "#/passages", "#/passage/0", "#/documents", "#/document/0", "#/document/1", "#/document/9", "#/passage/x"]) {
    await go(address);
    assert.notEqual(await page.title(), "attacked");
    assert.equal(await page.locator("main img, main script").count(), 0);
  }
  await close();
});
