// What all views share: the collection, the decisions that are shown, and the address of the view.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
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
      .split("/")
      .map((part) => {
        try {
          return decodeURIComponent(part);
        } catch {
          return part;
        }
      });
  const [address, setAddress] = useState(read);
  useEffect(() => {
    const changed = () => setAddress(read());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return address;
}

/** The list from which a pair was opened, so that the next pair is one key away. */
export const trail: { pairs: [number, number][] } = { pairs: [] };

/** Calls `act` when a key is pressed outside of fields. */
export function useKeys(act: (key: string) => boolean) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if ((event.target as HTMLElement).closest("input, select, textarea, dialog")) return;
      if (act(event.key)) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
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
