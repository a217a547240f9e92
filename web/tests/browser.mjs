// How the tests start Chromium, and how long they wait for it. This file imports no package, so the tests of the site use it too.

import { existsSync } from "node:fs";

// The headless shell is Chromium without windows. It needs a third less processor time, and less memory: when the tests had 550 MB,
// the test of all views took 18 seconds in the shell, and 278 seconds in Chromium, with 90 seconds of system time, because its
// program was read from disk again and again.
const paths = [process.env.CHROMIUM, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const executable = paths.find((path) => path && existsSync(path));

// Where there is only Chromium: it starts three more processes for each context, two for the suggestions of the address bar and one
// in reserve. Without them, the same test took 32 seconds. Chromium uses only the last --disable-features, so the features that
// Playwright disables on Linux are in the list too. --disable-gpu with --disable-software-rasterizer, and shared memory in /dev/shm,
// made no difference. Playwright itself disables the sandbox and most requests to other hosts.
const unused = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess"];
const playwright = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];
const args = executable?.includes("headless-shell") ? [] : [`--disable-features=${[...playwright, ...unused].join(",")}`];

/** How many milliseconds the tests wait at most. A quiet machine needs less than two seconds for anything that they wait for. */
const PATIENCE = 300_000;

/** Starts the browser with Playwright's `chromium`. */
export function browser(chromium, settings) {
  return chromium.launch({ executablePath: executable, args, timeout: PATIENCE, ...settings });
}

/** Opens a context of a browser. */
export async function context(chromium, settings) {
  const opened = await chromium.newContext(settings);
  opened.setDefaultTimeout(PATIENCE);
  opened.setDefaultNavigationTimeout(PATIENCE);
  return opened;
}
