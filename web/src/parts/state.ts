// What all views share: the collection, the decisions that are shown, and the address of the view.

import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Collection, Group } from "../data/collection";
import type { Decisions } from "../data/law";

export interface State {
  collection: Collection;
  threshold: number;
  setThreshold: (threshold: number) => void;
  decisions: Decisions;
  groups: Group[];
  theme: string;
}

export const Shared = createContext<State>(null as unknown as State);

export const useShared = () => useContext(Shared);

/** The parts of the address after #/. */
export function useAddress(): string[] {
  const read = () =>
    location.hash
      .replace(/^#\/?/, "")
      .replace(/\?[^/]*$/, "")
      .split("/")
      .map((part) => {
        try {
          return decodeURIComponent(part);
        } catch {
          return part;
        }
      });
  const [address, setAddress] = useState(read);
  // Effects run after the view is painted, and a busy machine may change the address before that. Layout effects run at once.
  useLayoutEffect(() => {
    const changed = () => setAddress(read());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return address;
}

/**
 * The threshold that is shown. It is at the end of the address, such as #/groups?threshold=0.9, so it is still there after the page
 * is loaded again, and comes back with an earlier view.
 */
export function useThreshold(collection: Collection): [number, (threshold: number) => void] {
  const own = collection.data.settings.threshold;
  const floor = collection.data.slider.floor;
  const read = () => {
    const given = Number.parseFloat(/\?threshold=([0-9.]+)$/.exec(location.hash)?.[1] ?? "");
    return collection.movable && floor !== null && given >= floor && given <= 1 ? given : null;
  };
  const [threshold, setThreshold] = useState(() => read() ?? own);
  const shown = useRef(threshold);
  // Each entry of the history also keeps its threshold. So going back to an address without a threshold restores the threshold of
  // the run, and following a link to such an address keeps the threshold that is shown.
  const write = () => {
    const view = location.hash.replace(/\?[^/]*$/, "");
    const next = shown.current;
    try {
      history.replaceState({ threshold: next }, "", next === own ? view || undefined : `${view || "#/"}?threshold=${next}`);
    } catch {
      // A frame without an address of its own; the threshold is kept until the page is closed.
    }
  };
  useLayoutEffect(() => {
    const changed = () => {
      const there = read() ?? (history.state as { threshold?: number } | null)?.threshold;
      if (there === undefined) return write();
      shown.current = there;
      setThreshold(there);
    };
    write();
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const move = (next: number) => {
    // Written at once: later, the address could be that of another view.
    shown.current = next;
    write();
    setThreshold(next);
  };
  return [threshold, move];
}

const memory = new Map<string, unknown>();

/** A state that a view still has when people come back to it. */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (memory.has(name) ? (memory.get(name) as T) : initial));
  return [
    value,
    (next) => {
      memory.set(name, next);
      setValue(next);
    },
  ];
}

/** The list from which a pair was opened, so that the next pair is one key away. */
export const trail: { pairs: [number, number][] } = { pairs: [] };

/** Calls `act` when a key is pressed outside of fields. */
export function useKeys(act: (key: string) => boolean) {
  // At once, so that the keys of a view work as soon as it is shown.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // Brackets need AltGr on many keyboards, which some systems report as Ctrl and Alt.
      const command = (event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph");
      if (event.defaultPrevented || event.metaKey || command) return;
      if ((event.target as HTMLElement).closest("input, select, textarea, dialog")) return;
      if (act(event.key)) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

/** Whether the page is as narrow as on a phone, where rows of lists have several lines. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia("(max-width: 40rem)").matches);
  useEffect(() => {
    const query = matchMedia("(max-width: 40rem)");
    const changed = () => setNarrow(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return narrow;
}

/** The keys j and k go through the rows of short lists, as they do in long ones. */
export function useRowKeys() {
  useKeys((key) => {
    if (key !== "j" && key !== "k") return false;
    const rows = [...document.querySelectorAll<HTMLElement>(".plain-list a.list-row")];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const next = rows[key === "j" ? at + 1 : Math.max(0, at - 1)];
    next?.focus();
    return Boolean(next);
  });
}

/** Waits for a value; null until it is there. */
export function useLater<T>(make: () => Promise<T>, on: unknown[]): T | null {
  const [value, setValue] = useState<{ on: unknown[]; value: T } | null>(null);
  useEffect(() => {
    let over = false;
    make().then((found) => {
      if (!over) setValue({ on, value: found });
    });
    return () => {
      over = true;
    };
  }, on);
  return value && value.on.every((one, at) => one === on[at]) ? value.value : null;
}
