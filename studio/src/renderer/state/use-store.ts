import { useRef, useSyncExternalStore } from 'react';
import type { Store } from './store.ts';

/** The value of a store, or what `select` takes from it; the view is drawn again when that changes. */
export function useStore<T>(store: Store<T>): T;
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S;
export function useStore<T, S>(store: Store<T>, select?: (value: T) => S): T | S {
  const last = useRef<{ of: T; by: (value: T) => S; selected: S } | undefined>(undefined);
  const read = () => {
    const { value } = store;
    if (select === undefined) return value;
    if (last.current === undefined || last.current.by !== select || !Object.is(last.current.of, value)) {
      const selected = select(value);
      const kept = last.current !== undefined && isSame(last.current.selected, selected);
      last.current = { of: value, by: select, selected: kept ? last.current!.selected : selected };
    }
    return last.current.selected;
  };
  return useSyncExternalStore(store.subscribe, read);
}

/** Equal, or lists of equal members: a selection that builds a new list does not draw again. */
function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
  return left.every((item, index) => Object.is(item, right[index]));
}
