// The language of the page: that of the browser, or the one that was chosen.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { en, type Words } from "./en";

import { zh } from "./zh";

export type { Words };

export const languages: Record<string, Words> = { en, zh };

/** The browser's language if the page has it, otherwise English. */
export function preferred(): string {
  return navigator.languages.map((language) => language.split("-")[0]).find((language) => language in languages) ?? "en";
}

export const Language = createContext<Words>(en);

export function useWords(): Words {
  return useContext(Language);
}
