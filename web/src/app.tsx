// The frame of all views: the search, the views, the threshold, the language and the theme.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Collection } from "./data/collection";
import { Shared, useAddress, useKeys, useShared } from "./parts/state";
import { Changes } from "./views/changes";
import { Compare } from "./views/compare";
import { DocumentView } from "./views/document";
import { GroupView } from "./views/group";
import { Groups } from "./views/groups";
import { Overview } from "./views/overview";
import { Pairs } from "./views/pairs";
import { Search } from "./views/search";
import { Language, languages, preferred, useWords } from "./words";

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

export function App({ collection }: { collection: Collection }) {
  const [language, setLanguage] = useState(() => {
    const chosen = remembered("language");
    return chosen && chosen in languages ? chosen : preferred();
  });
  const [theme, setTheme] = useState(() => remembered("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  const [threshold, setThreshold] = useState(collection.data.settings.threshold);
  const decisions = useMemo(() => collection.decide(threshold), [collection, threshold]);
  const groups = useMemo(() => collection.groups(decisions), [collection, decisions]);

  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-Hans" : language;
  }, [language]);
  // Before the charts are drawn, which read the colours.
  document.documentElement.dataset.theme = theme;

  return (
    <Language.Provider value={languages[language]}>
      <Shared.Provider value={{ collection, threshold, setThreshold, decisions, groups, theme }}>
        <Frame
          language={language}
          setLanguage={(next) => (setLanguage(next), remember("language", next))}
          turnTheme={() => {
            const next = theme === "dark" ? "light" : "dark";
            setTheme(next);
            remember("theme", next);
          }}
        />
      </Shared.Provider>
    </Language.Provider>
  );
}

function Frame({ language, setLanguage, turnTheme }: { language: string; setLanguage: (language: string) => void; turnTheme: () => void }) {
  const w = useWords();
  const { collection, decisions } = useShared();
  const address = useAddress();
  const search = useRef<HTMLInputElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const main = useRef<HTMLElement>(null);
  const [words, setWords] = useState("");

  useKeys((key) => {
    if (key === "/") search.current?.focus();
    else if (key === "?") dialog.current?.showModal();
    else if (key === "Backspace") history.back();
    else return false;
    return true;
  });

  const view = address[0];
  useEffect(() => {
    scrollTo(0, 0);
  }, [address.join("/")]);

  const tab = (name: string, label: string) => (
    <a href={`#/${name}`} aria-current={view === name || (!view && name === "overview") ? "page" : undefined}>
      {label}
    </a>
  );
  const document = (text: string) => {
    const number = Number(text);
    return Number.isInteger(number) && number >= 0 && number < collection.count ? number : 0;
  };
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {w.overview}
      </a>
      <header>
        <strong class="brand">lookalike</strong>
        <nav aria-label={w.title}>
          {tab("overview", w.overview)}
          {collection.data.command === "dedup" || collection.movable ? tab("groups", w.groups) : null}
          {tab("pairs", w.pairs)}
          {decisions !== collection.run ? tab("changes", w.changes) : null}
        </nav>
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            if (words) location.hash = `#/search/${encodeURIComponent(words)}`;
          }}
        >
          <input
            ref={search}
            type="search"
            aria-label={w.search}
            placeholder={w.searchShort}
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </form>
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
      <Moved />
      <main id="main" ref={main} tabIndex={-1}>
        {view === "groups" ? (
          <Groups />
        ) : view === "group" ? (
          <GroupView kept={document(address[1])} />
        ) : view === "pairs" ? (
          <Pairs />
        ) : view === "pair" ? (
          <Compare a={document(address[1])} b={document(address[2])} />
        ) : view === "document" ? (
          <DocumentView d={document(address[1])} />
        ) : view === "search" ? (
          <Search words={address[1] ?? ""} />
        ) : view === "changes" ? (
          <Changes />
        ) : (
          <Overview />
        )}
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

/** Says that other decisions than those of the run are shown. */
function Moved() {
  const w = useWords();
  const { collection, threshold, setThreshold } = useShared();
  const own = collection.data.settings.threshold;
  if (threshold === own) return null;
  return (
    <p class="moved" role="status">
      <strong>{w.thresholdNow(threshold)}</strong> {w.thresholdRun(own)}{" "}
      <button type="button" onClick={() => setThreshold(own)}>
        {w.reset}
      </button>
    </p>
  );
}
