// The frame of all reports: the views, the search, the language, the theme and the keys.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Language, languages, preferred, useWords } from "../words";
import { useAddress, useKeys } from "./state";

/** Reads a setting of the reader; browsers may forbid storage for files. */
function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`lookalike-${name}`);
  } catch {
    return null;
  }
}

function remember(name: string, value: string) {
  try {
    localStorage.setItem(`lookalike-${name}`, value);
  } catch {
    // The choice lasts until the page is closed.
  }
}

interface Setting {
  language: string;
  setLanguage: (language: string) => void;
  turnTheme: () => void;
}

/** Gives the page its language and its theme. */
export function Settings({ children }: { children: (setting: Setting, theme: string) => ComponentChildren }) {
  const [language, setLanguage] = useState(() => {
    const chosen = remembered("language");
    return chosen && chosen in languages ? chosen : preferred();
  });
  const [theme, setTheme] = useState(() => remembered("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  useLayoutEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-Hans" : language;
  }, [language]);
  // Before the charts are drawn, which read the colours.
  document.documentElement.dataset.theme = theme;
  const setting = {
    language,
    setLanguage: (next: string) => (setLanguage(next), remember("language", next)),
    turnTheme: () => {
      const next = theme === "dark" ? "light" : "dark";
      setTheme(next);
      remember("theme", next);
    },
  };
  return <Language.Provider value={languages[language]}>{children(setting, theme)}</Language.Provider>;
}

interface Props extends Setting {
  /** The views: the first part of the address, and the name. The first one is shown when the report opens. */
  tabs: [string, string][];
  search?: boolean;
  /** Whether the data of the view is still being read. */
  busy?: boolean;
  /** What is shown between the header and the view. */
  above?: ComponentChildren;
  children: ComponentChildren;
}

export function Shell({ language, setLanguage, turnTheme, tabs, search, busy, above, children }: Props) {
  const w = useWords();
  const address = useAddress();
  const field = useRef<HTMLInputElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const main = useRef<HTMLElement>(null);
  const [words, setWords] = useState("");
  useKeys((key) => {
    if (key === "/" && field.current) field.current.focus();
    else if (key === "?") dialog.current?.showModal();
    else if (key === "Backspace") history.back();
    else return false;
    return true;
  });
  useEffect(() => {
    scrollTo(0, 0);
  }, [address.join("/")]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {w.skip}
      </a>
      <header>
        <strong class="brand">lookalike</strong>
        <nav aria-label={w.title}>
          {tabs.map(([name, label], at) => (
            <a href={`#/${name}`} key={name} aria-current={address[0] === name || (!address[0] && at === 0) ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
        {search ? (
          <form
            role="search"
            onSubmit={(event) => {
              event.preventDefault();
              if (!words) return;
              location.hash = `#/search/${encodeURIComponent(words)}`;
              field.current?.blur();
            }}
          >
            <input
              ref={field}
              type="search"
              aria-label={w.search}
              placeholder={w.searchShort}
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
          </form>
        ) : (
          <span class="fill" />
        )}
        <select aria-label="Language / 语言" value={language} onChange={(event) => setLanguage(event.currentTarget.value)}>
          {Object.entries(languages).map(([name, one]) => (
            <option value={name} key={name} lang={name}>
              {one.language}
            </option>
          ))}
        </select>
        <button type="button" class="quiet" aria-label={w.theme} title={w.theme} onClick={turnTheme}>
          ◐
        </button>
        <button type="button" class="quiet" aria-label={w.keys} title={w.keys} onClick={() => dialog.current?.showModal()}>
          ?
        </button>
      </header>
      {above}
      <main id="main" ref={main} tabIndex={-1} aria-busy={busy ?? false} data-address={address.join("/")}>
        {children}
      </main>
      <dialog ref={dialog} aria-label={w.keys}>
        <h2>{w.keys}</h2>
        <dl class="keys">
          {w.keyList.map(([key, act]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{act}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button>{w.close}</button>
        </form>
      </dialog>
    </>
  );
}
