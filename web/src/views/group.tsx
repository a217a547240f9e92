// One group: the kept document, and the documents that it represents.

import { useMemo } from "preact/hooks";
import { List } from "../parts/list";
import { Verdict } from "../parts/reason";
import { Short, figure, plain } from "../parts/shown";
import { trail, useShared } from "../parts/state";
import { TextBox } from "../parts/text-box";
import { useWords } from "../words";

export function GroupView({ kept }: { kept: number }) {
  const w = useWords();
  const { collection, decisions, groups, threshold } = useShared();
  const members = useMemo(() => {
    const dropped = groups.find((group) => group.kept === kept)?.dropped ?? [];
    return [...dropped].sort((x, y) => decisions.similarity[x] - decisions.similarity[y] || x - y);
  }, [groups, decisions, kept]);
  const r = decisions.representative[kept];
  return (
    <>
      <h1>
        <Short text={w.groupOf(collection.id(kept))} most={120} />
      </h1>
      <p>
        {members.length ? w.inGroup(members.length + 1) : w.noGroup(`“${plain(collection.id(kept), 60)}”`, threshold)}{" "}
        {r < 0 ? null : <a href={`#/group/${r}`}>{w.inGroupOf(`“${plain(collection.id(r), 60)}”`)}</a>}
        {collection.law.fixed[kept] ? `. ${w.fixedGroup}` : ""}
      </p>
      <section class="card">
        <h2>{r < 0 ? w.keptOne : w.document(plain(collection.id(kept), 60))}</h2>
        <p>
          <a href={`#/document/${kept}`}>
            <Short text={collection.id(kept)} />
          </a>{" "}
          <Verdict reason={collection.reason(kept, decisions)} /> <span class="note">{<Short text={collection.place(kept)} />}</span>
        </p>
        <TextBox d={kept} />
      </section>
      {members.length ? <h2>{w.members}</h2> : null}
      <List
        label={w.members}
        count={members.length}
        height={44}
        href={(at) => `#/pair/${kept}/${members[at]}`}
        onOpen={() => (trail.pairs = members.map((d) => [kept, d]))}
        memory={`group ${kept}`}
        version={members}
        row={(at) => {
          const d = members[at];
          return (
            <>
              <span class="figure is-dropped">{figure(decisions.similarity[d])}</span>
              <Short text={collection.id(d)} most={70} />
              <Verdict reason={collection.reason(d, decisions)} />
            </>
          );
        }}
      />
    </>
  );
}
