import type { FailureType } from '@svc/protocol/wire';
import { recordOf } from '../../preferences/settings.ts';
import type { KeptPart } from '../../shell/contributions.ts';
import { Store } from '../../state/store.ts';

/** What kinds of failures are to people. */
export const failureKinds: Readonly<Record<FailureType, string>> = {
  validation: 'Invalid input or output',
  not_found: 'Not found',
  auth: 'Not signed in, or not allowed',
  connection: 'No connection',
  timeout: 'Timeouts',
  http: 'Error status of another service',
  flow: 'Refused by a flow',
  unknown: 'Expressions, and others',
};

export const allKinds = Object.keys(failureKinds) as readonly FailureType[];

export interface FailureStopsState {
  readonly isOnFailure: boolean;
  /** Those at which threads stop while `isOnFailure`. */
  readonly kinds: ReadonlySet<FailureType>;
  readonly isOnDrop: boolean;
}

const off: FailureStopsState = { isOnFailure: false, kinds: new Set(allKinds), isOnDrop: false };

/** Whether threads stop where a flow fails, and where it drops its message, wherever that is. */
export class FailureStops {
  readonly state = new Store<FailureStopsState>(off);

  /** Chooses or leaves out a kind; without any, no failure stops. */
  toggleKind(kind: FailureType): void {
    const kinds = new Set(this.state.value.kinds);
    if (!kinds.delete(kind)) kinds.add(kind);
    this.state.patch({ kinds, isOnFailure: kinds.size > 0 });
  }

  /** Chooses a kind alone, while no failure stops yet. */
  only(kind: FailureType): void {
    this.state.patch({ kinds: new Set([kind]), isOnFailure: true });
  }

  toggleFailures(): void {
    const { isOnFailure, kinds } = this.state.value;
    this.state.patch({ isOnFailure: !isOnFailure, kinds: kinds.size === 0 ? off.kinds : kinds });
  }

  toggleDrops(): void {
    this.state.patch({ isOnDrop: !this.state.value.isOnDrop });
  }

  /** What stops, in words. */
  get spoken(): string {
    const { isOnFailure, kinds, isOnDrop } = this.state.value;
    const chosen =
      kinds.size === allKinds.length ? 'any kind' : [...kinds].map((kind) => failureKinds[kind]).join('; ');
    const stops = [isOnFailure && `where a flow fails (${chosen})`, isOnDrop && 'where a message is dropped'];
    const shown = stops.filter(Boolean).join(', and ');
    return shown === '' ? 'Threads stop at breakpoints alone.' : `Threads stop ${shown}.`;
  }

  /** What `debug.setFailureBreakpoints` and `debug.setDropBreakpoints` take. */
  wanted(isMuted: boolean): {
    readonly codes: readonly string[];
    readonly types: readonly string[];
    readonly gates: readonly string[];
  } {
    const { isOnFailure, kinds, isOnDrop } = this.state.value;
    const isOn = isOnFailure && !isMuted;
    const isAll = kinds.size === allKinds.length;
    return {
      codes: isOn && isAll ? ['*'] : [],
      types: isOn && !isAll ? [...kinds] : [],
      gates: isOnDrop && !isMuted ? ['*'] : [],
    };
  }
}

/** Keeps them for each folder. */
export function keptFailureStops(stops: FailureStops): KeptPart {
  const restore = (stored: unknown) => {
    const { isOnFailure, kinds, isOnDrop } = recordOf(stored) ?? {};
    const known = new Set(allKinds.filter((kind) => Array.isArray(kinds) && kinds.includes(kind)));
    stops.state.set({
      isOnFailure: isOnFailure === true && known.size > 0,
      kinds: known.size === 0 ? off.kinds : known,
      isOnDrop: isOnDrop === true,
    });
  };
  return {
    name: 'failureStops',
    changes: stops.state,
    read: () => ({ ...stops.state.value, kinds: [...stops.state.value.kinds] }),
    restore,
    suggest: () => undefined,
  };
}
