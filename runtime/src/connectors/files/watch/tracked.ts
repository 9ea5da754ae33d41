import type { Entry } from '../store.ts';

/** One version of a file, by what can be seen of it without reading it. */
export function versionOf({ size, modified, etag }: Entry): string {
  return etag ?? `${size}:${modified}`;
}

/** What is known of one version of a file that is watched. */
export interface Tracked {
  readonly entry: Entry;
  /** Monotonic milliseconds since which it has been as it is. */
  readonly since: number;
  /**
   * `changing`: it may still be written; `waiting`: it is delivered when its turn comes; `untaken`: no flow takes it;
   * `delivered`: it is with the intake; `settled`: nothing more is done with this version.
   */
  state: 'changing' | 'waiting' | 'untaken' | 'delivered' | 'settled';
  /** What its message says. */
  readonly event: 'created' | 'modified';
  /** Failed tries of this version. */
  tries: number;
  /** Monotonic milliseconds before which it is not tried again. */
  notBefore: number;
  /** Number of the last look that has seen it. */
  seen: number;
}

export function tracked(entry: Entry, since: number, event: Tracked['event'], seen: number): Tracked {
  return { entry, since, state: 'changing', event, tries: 0, notBefore: 0, seen };
}

/** Whether a version of it was a message, or was passed over at the start. */
export function wasSeen({ state, event }: Tracked): boolean {
  return state === 'delivered' || state === 'settled' || event === 'modified';
}
