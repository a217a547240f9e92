// Debian's Chromium.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const paths = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-headless-shell"];
export const executable = paths.find((path) => path && existsSync(path));

export function browser() {
  return chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
}
