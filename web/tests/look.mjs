// Takes screenshots of a report, to look at: node tests/look.mjs REPORT FOLDER [width] [theme] [language] [addresses...]
import { chromium as driver } from "playwright-core";
import { browser, context as newContext } from "./browser.mjs";

const [report, folder, width = "1280", theme = "light", language = "en", ...addresses] = process.argv.slice(2);
const chromium = await browser(driver);
const context = await newContext(chromium, {
  viewport: { width: Number(width), height: 900 },
  colorScheme: theme,
  locale: language,
});
const page = await context.newPage();
page.on("console", (message) => console.log(message.type(), message.text()));
page.on("pageerror", (error) => console.log("error", error.message));
for (const [at, address] of (addresses.length ? addresses : ["#/"]).entries()) {
  if (address.startsWith("click ")) await page.click(address.slice(6));
  else if (address.startsWith("press ")) await page.keyboard.press(address.slice(6));
  else await page.goto(`file://${report}${address}`);
  await page.waitForSelector("main h1");
  await page.waitForTimeout(300);
  await page.screenshot({ path: `${folder}/${at}-${width}-${theme}-${language}.png`, fullPage: true });
}
await chromium.close();
