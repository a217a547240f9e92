// Runs the command, and reads what it writes.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const binary = process.env.LOOKALIKE ?? `${root}target/testing/lookalike`;
export const data = (name) => `${root}testdata/${name}`;

/** Runs the command; returns its summary. */
export function run(...flags) {
  const out = execFileSync(binary, [...flags, "--json"], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
  return out ? JSON.parse(out) : null;
}

export const lines = (path) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
