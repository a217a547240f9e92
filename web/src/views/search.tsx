// Documents with given words in their ids or texts.

import { useMemo } from "preact/hooks";
import { Verdict } from "../parts/reason";
import { Short } from "../parts/shown";
import { useLater, useRowKeys, useShared } from "../parts/state";
import { useWords } from "../words";

const MOST = 100;

export function Search({ words }: { words: string }) {
  const w = useWords();
  const { collection, decisions } = useShared();
  useRowKeys();
  const byId = useMemo(() => collection.search(words), [collection, words]);
  const byText = useLater(() => collection.searchTexts(words), [collection, words]);
  const all = useMemo(() => [...new Set([...byId, ...(byText?.keys() ?? [])])], [byId, byText]);
  const found = all.slice(0, MOST);
  return (
    <>
      <h1>
        {w.search}: <Short text={words} />
      </h1>
      <p role="status" aria-busy={byText === null}>
        {byText === null ? w.loading : found.length < all.length ? w.firstFound(MOST, all.length) : found.length ? w.documents(found.length) : collection.data.limits.all_documents ? w.noMatch : w.noMatchSome}
      </p>
      <ul class="plain-list">
        {found.map((d) => (
          <li key={d}>
            <a class="list-row" href={`#/document/${d}`}>
              <Short text={collection.id(d)} />
              {byText?.has(d) ? (
                <span class="note snippet">
                  <Short text={byText.get(d)!} most={160} />
                </span>
              ) : null}
              <Verdict reason={collection.reason(d, decisions)} />
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
