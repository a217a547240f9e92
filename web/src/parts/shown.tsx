// Shows text from documents, which may be hostile: always as text nodes, with hidden characters made visible.

import type { JSX } from "preact";
import { useWords } from "../words";

// Control characters, characters that change the direction of text, and characters without a width. The joiners U+200C and U+200D
// are left alone, because scripts and emoji need them.
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu;

/** Returns text with its hidden characters as marks, such as U+202E. */
export function visible(text: string, words: { hidden: string }): (string | JSX.Element)[] {
  const parts: (string | JSX.Element)[] = [];
  let end = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match[0] === "\r" && text[match.index + 1] === "\n") continue;
    if (match.index > end) parts.push(text.slice(end, match.index));
    const code = match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    parts.push(
      <span class="hidden-character" dir="ltr" title={words.hidden}>
        U+{code}
      </span>,
    );
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Returns the first characters of a text, without half of a surrogate pair at the end. */
export const beginning = (text: string, most: number) => text.slice(0, most).replace(/[\ud800-\udbff]$/, "");

/** An id or another short string on one line. Long ones are cut in the middle. */
export function Short({ text, most = 80 }: { text: string; most?: number }) {
  const words = useWords();
  const line = text.replace(/[\r\n\t]+/g, " ");
  const half = Math.floor((most - 1) / 2);
  const shown = line.length > most ? `${beginning(line, half)}…${line.slice(line.length - half).replace(/^[\udc00-\udfff]/, "")}` : line;
  return (
    <bdi class="short" title={line.length > most ? plain(line, 2000) : undefined}>
      {visible(shown, words)}
    </bdi>
  );
}

/** Names of files, separated by commas. */
export function Names({ names, most }: { names: string[]; most: number }) {
  return (
    <>
      {names.map((name, at) => (
        <span key={name}>
          {at ? ", " : ""}
          <Short text={name} most={most} />
        </span>
      ))}
    </>
  );
}

/** Returns a string for a title or a label, without characters that could change the text around it. */
export function plain(text: string, most = 80): string {
  const line = text.replace(/[\r\n\t]+/g, " ").replace(HIDDEN, "\ufffd");
  return line.length > most ? `${beginning(line, most - 1)}…` : line;
}

/** Formats a similarity. It is cut, not rounded, so that no figure appears to reach a threshold that it does not reach. */
export function figure(similarity: number): string {
  if (Number.isNaN(similarity)) return "–";
  return similarity === 1 ? "1" : (Math.floor(similarity * 10_000 + 1e-9) / 10_000).toFixed(4);
}
