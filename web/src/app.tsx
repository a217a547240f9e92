// The report about a collection.

import { useMemo } from "preact/hooks";
import type { Collection } from "./data/collection";
import { Settings, Shell } from "./parts/shell";
import { Shared, useAddress, useShared, useThreshold } from "./parts/state";
import { Changes } from "./views/changes";
import { Compare } from "./views/compare";
import { DocumentView } from "./views/document";
import { Documents } from "./views/documents";
import { GroupView } from "./views/group";
import { Groups } from "./views/groups";
import { Overview } from "./views/overview";
import { Pairs } from "./views/pairs";
import { Search } from "./views/search";
import { Site, Sites } from "./views/sites";
import { useWords } from "./words";

export function App({ collection }: { collection: Collection }) {
  const [threshold, setThreshold] = useThreshold(collection);
  const decisions = useMemo(() => collection.decide(threshold), [collection, threshold]);
  const groups = useMemo(() => collection.groups(decisions), [collection, decisions]);
  return (
    <Settings>
      {(setting, theme) => (
        <Shared.Provider value={{ collection, threshold, setThreshold, decisions, groups, theme }}>
          <Views {...setting} />
        </Shared.Provider>
      )}
    </Settings>
  );
}

function Views(setting: { language: string; setLanguage: (language: string) => void; turnTheme: () => void }) {
  const w = useWords();
  const { collection, decisions } = useShared();
  const [view, first, second] = useAddress();
  const number = (text: string | undefined) => (/^\d+$/.test(text ?? "") && Number(text) < collection.count ? Number(text) : -1);
  const numbers = view === "pair" ? [first, second] : view === "group" || view === "document" ? [first] : [];
  const known = ["", "overview", "groups", "group", "pairs", "pair", "document", "documents", "search", "sites", "site", "changes"].includes(view);
  const tabs: [string, string][] = [["overview", w.overview]];
  if (collection.data.command === "dedup") tabs.push(["groups", w.groups]);
  if (collection.data.command === "mirrors") tabs.push(["sites", w.sitePairs]);
  if (collection.data.command === "dedup") tabs.push(["documents", w.documentsTitle]);
  tabs.push(["pairs", collection.data.command === "mirrors" ? w.pagePairs : w.pairs]);
  if (decisions !== collection.run) tabs.push(["changes", w.changes]);
  return (
    <Shell {...setting} tabs={tabs} search above={<Moved />}>
      {!known || numbers.some((text) => number(text) < 0) ? (
        <NotFound note={known ? w.notFoundNumber : ""} />
      ) : view === "groups" ? (
        <Groups />
      ) : view === "group" ? (
        <GroupView kept={number(first)} />
      ) : view === "pairs" ? (
        <Pairs />
      ) : view === "pair" ? (
        <Compare a={number(first)} b={number(second)} />
      ) : view === "document" ? (
        <DocumentView d={number(first)} />
      ) : view === "documents" ? (
        <Documents only={first ?? ""} />
      ) : view === "search" ? (
        <Search words={first ?? ""} />
      ) : view === "sites" ? (
        <Sites />
      ) : view === "site" ? (
        <Site number={Number(first) || 0} />
      ) : view === "changes" ? (
        <Changes />
      ) : (
        <Overview />
      )}
    </Shell>
  );
}

function NotFound({ note }: { note: string }) {
  const w = useWords();
  return (
    <>
      <h1>{w.notFound}</h1>
      <p>
        {note} <a href="#/">{w.toOverview}</a>
      </p>
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
