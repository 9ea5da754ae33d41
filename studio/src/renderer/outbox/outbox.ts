import type { OutboxEntry } from '@svc/protocol/wire';
import type { DebugSession } from '../debug/session/session.ts';
import { Store } from '../state/store.ts';

/** Messages that are listed; the folder may hold more. */
const mostListed = 200;

/** What the attached service does with notifications. */
export interface OutboxState {
  /** Where it keeps them instead of sending them; null: it sends them; undefined: no service says. */
  readonly folder: string | null | undefined;
  /** The newest first. */
  readonly entries: readonly OutboxEntry[];
}

const unknown: OutboxState = { folder: undefined, entries: [] };

/** Notifications that the attached service keeps instead of sending them. */
export class Outbox {
  readonly state = new Store<OutboxState>(unknown);
  readonly #debug: DebugSession;

  constructor(debug: DebugSession) {
    this.#debug = debug;
    let wasAttached = false;
    debug.model.state.subscribe(() => {
      const { isAttached } = debug;
      if (isAttached === wasAttached) return;
      wasAttached = isAttached;
      if (isAttached) void this.refresh();
      else this.state.set(unknown);
    });
    debug.captured = (entry) => this.#add([entry]);
  }

  /** Asks which messages there are. A failure leaves what is known: a lost connection is reported where it is. */
  async refresh(): Promise<void> {
    if (!this.#debug.model.state.value.capabilities.has('outbox')) return;
    try {
      const { folder, messages } = await this.#debug.call('debug.outbox', { limit: mostListed });
      this.state.update(({ entries }) => ({ folder, entries }));
      this.#add(messages);
    } catch {
      // See above.
    }
  }

  /** An event may come before the answer that lists its message too. */
  #add(entries: readonly OutboxEntry[]): void {
    this.state.update((state) => {
      const all = new Map([...state.entries, ...entries].map((entry) => [entry.name, entry]));
      const newestFirst = [...all.values()].sort((a, b) => (a.name < b.name ? 1 : -1));
      return { ...state, entries: newestFirst.slice(0, mostListed) };
    });
  }
}
