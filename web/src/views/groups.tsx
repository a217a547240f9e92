// All groups: a kept document and the documents that it represents.

import { useMemo } from "preact/hooks";
import { List } from "../parts/list";
import { NumberField } from "../parts/number-field";
import { useReasonNames } from "../parts/reason";
import { Short, figure, plain } from "../parts/shown";
import { useKept, useShared } from "../parts/state";
import { useWords } from "../words";

export function Groups() {
  const w = useWords();
  const names = useReasonNames();
  const { collection, decisions, groups, threshold } = useShared();
  const { documents } = collection.data;
  const [words, setWords] = useKept("groups words", "");
  const [reason, setReason] = useKept("groups reason", "");
  const [label, setLabel] = useKept("groups label", "");
  const [least, setLeast] = useKept("groups least", 2);
  const [from, setFrom] = useKept("groups from", 0);
  const [to, setTo] = useKept("groups to", 1);
  const [sort, setSort] = useKept("groups sort", "size");

  // For each group, the similarities of its least and most similar document.
  const ranges = useMemo(() => {
    const found = new Map<number, [number, number]>();
    for (const { kept, dropped } of groups) {
      // Similarities that were not measured do not count; a group that only has such similarities has none.
      const known = dropped.map((d) => decisions.similarity[d]).filter((similarity) => !Number.isNaN(similarity));
      const ends = known.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [Infinity, -Infinity]);
      found.set(kept, known.length ? [ends[0], ends[1]] : [Number.NaN, Number.NaN]);
    }
    return found;
  }, [groups, decisions]);

  const shown = useMemo(() => {
    const small = words.toLowerCase();
    const found = groups.filter(({ kept, dropped }) => {
      if (dropped.length + 1 < least) return false;
      const [low, high] = ranges.get(kept)!;
      if (Number.isNaN(low) ? from > 0 || to < 1 : high < from || low > to) return false;
      const all = [kept, ...dropped];
      if (small && !all.some((d) => collection.id(d).toLowerCase().includes(small))) return false;
      if (label && !all.some((d) => collection.label(d) === label)) return false;
      return !reason || dropped.some((d) => collection.reason(d, decisions) === reason);
    });
    // Groups whose similarities are not known come last.
    const closeness = (kept: number) => {
      const [low] = ranges.get(kept)!;
      return Number.isNaN(low) ? 2 : Math.abs(low - threshold);
    };
    if (sort === "closest") found.sort((x, y) => closeness(x.kept) - closeness(y.kept));
    if (sort === "id") found.sort((x, y) => (collection.id(x.kept) < collection.id(y.kept) ? -1 : 1));
    return found;
  }, [groups, decisions, words, reason, label, least, from, to, sort, ranges]);

  const all = () => {
    setWords("");
    setReason("");
    setLabel("");
    setLeast(2);
    setFrom(0);
    setTo(1);
  };
  const reasons = useMemo(() => {
    const found = new Set<string>();
    for (const { dropped } of groups) for (const d of dropped) found.add(collection.reason(d, decisions));
    return [...found].sort();
  }, [groups, decisions]);
  return (
    <>
      <h1>{w.groups}</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          {w.filterGroups} <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        <label>
          {w.reason}{" "}
          <select value={reason} onChange={(event) => setReason(event.currentTarget.value)}>
            <option value="">{w.allReasons}</option>
            {reasons.map((one) => (
              <option value={one} key={one}>
                {names[one]}
              </option>
            ))}
          </select>
        </label>
        {documents.labels.length ? (
          <label>
            {w.label}{" "}
            <select value={label} onChange={(event) => setLabel(event.currentTarget.value)}>
              <option value="">{w.allLabels}</option>
              {documents.labels.slice(0, 500).map((one) => (
                <option value={one} key={one}>
                  {plain(one)}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        <label>
          {w.atLeast}{" "}
          <NumberField min={2} value={least} usual={2} set={setLeast} /> {w.size}
        </label>
        <span class="range">
          <label>
            {w.similarityFrom}{" "}
            <NumberField min={0} max={1} step={0.01} value={from} usual={0} set={setFrom} />
          </label>
          <label>
            {w.to} <NumberField min={0} max={1} step={0.01} value={to} usual={1} set={setTo} />
          </label>
        </span>
        <label>
          {w.sortBy}{" "}
          <select value={sort} onChange={(event) => setSort(event.currentTarget.value)}>
            <option value="size">{w.sortSize}</option>
            <option value="closest">{w.sortClosest}</option>
            <option value="id">{w.sortId}</option>
          </select>
        </label>
      </form>
      <p class="actions">
        <span role="status">{groups.length ? w.groupsShown(shown.length, groups.length) : w.noGroups}</span>
        {shown.length < groups.length ? (
          <button type="button" onClick={all}>
            {w.showAll}
          </button>
        ) : null}
      </p>
      {groups.length && !shown.length ? <p>{w.noGroupsFilter}</p> : null}
      <List
        label={w.groups}
        count={shown.length}
        height={44}
        href={(at) => `#/group/${shown[at].kept}`}
        memory="groups"
        version={shown}
        row={(at) => {
          const { kept, dropped } = shown[at];
          const [low, high] = ranges.get(kept)!;
          return (
            <>
              <span class="figure">{w.number(dropped.length + 1)}</span>
              <Short text={collection.id(kept)} most={70} />
              <span class="tag">{figure(low) === figure(high) ? figure(low) : `${figure(low)} – ${figure(high)}`}</span>
            </>
          );
        }}
      />
    </>
  );
}
