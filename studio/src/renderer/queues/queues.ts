import type { DebugSession } from '../debug/session/session.ts';
import { Store } from '../state/store.ts';
import { figuresAfter, type LiveFigures } from './figures.ts';
import { followed, type TakenMessage } from './messages.ts';
import type { Position, QueueSource } from './sources.ts';

/** Milliseconds between two looks at the counts while a view shows them, and after messages came or went. */
const watchPause = 2_000;
const soon = 200;

/** Event sources of the attached service, the messages that came from them, and the calls that pull one. */
export class Queues {
  readonly sources = new Store<readonly QueueSource[]>([]);
  /** Latest first. */
  readonly messages = new Store<readonly TakenMessage[]>([]);
  /** What brokers say, by connector, as far as the service asks them. */
  readonly figures = new Store<ReadonlyMap<string, LiveFigures>>(new Map());
  /** Connectors that a message is awaited from, with since when by `Date.now()`. */
  readonly pulls = new Store<ReadonlyMap<string, number>>(new Map());
  readonly #debug: DebugSession;
  readonly #cancelled = new Set<string>();
  #isRefreshing = false;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #watchers = 0;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(debug: DebugSession) {
    this.#debug = debug;
    debug.sources.subscribe(() => {
      this.sources.set(debug.sources.value);
      if (debug.sources.value.length === 0) this.figures.set(new Map());
    });
    let underWay = '';
    debug.model.state.subscribe(() => {
      const { threads, connection } = debug.model.state.value;
      this.messages.update((all) => followed(all, threads, (flow) => this.#connectorOf(flow)));
      const now = `${connection} ${threads.filter(({ ended }) => !ended).length}`;
      if (now === underWay) return;
      underWay = now;
      this.#refreshSoon();
    });
    this.sources.subscribe(() =>
      this.messages.update((all) => followed(all, debug.model.state.value.threads, (flow) => this.#connectorOf(flow))),
    );
  }

  /** Whether the service tells counts and has a gate. */
  get canGate(): boolean {
    return this.#can('gate');
  }

  /** Asks how the sources are now. One call at a time; a failure leaves what is known. */
  async refresh(): Promise<void> {
    if (!this.#debug.isAttached || !this.canGate || this.#isRefreshing) return;
    this.#isRefreshing = true;
    try {
      const { sources } = await this.#debug.call('debug.sources', {});
      if (this.#debug.isAttached) this.sources.set(sources);
      if (this.#watchers > 0 && this.#can('figures')) await this.#refreshFigures();
    } catch {
      // The connection is lost, which is reported where the connection is.
    } finally {
      this.#isRefreshing = false;
    }
  }

  /** For views that are on the screen alone: brokers are asked. */
  async #refreshFigures(): Promise<void> {
    const { sources } = await this.#debug.call('debug.figures', {});
    if (!this.#debug.isAttached) return;
    const at = Date.now();
    this.figures.update(
      (all) =>
        new Map(sources.map(({ connector, places }) => [connector, figuresAfter(all.get(connector), places, at)])),
    );
  }

  /**
   * Keeps the counts up to date, when `isVisible` too, until the returned function is called; one timer for all who
   * watch.
   */
  watch(isVisible: () => boolean): () => void {
    void this.refresh();
    if (this.#watchers++ === 0) this.#watch = setInterval(() => isVisible() && void this.refresh(), watchPause);
    return () => {
      if (--this.#watchers === 0) clearInterval(this.#watch);
    };
  }

  /** A flood of messages asks a few times a second, not once for each. */
  #refreshSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.refresh();
    }, soon);
  }

  async setGate(position: Position): Promise<void> {
    await this.#debug.setGate(position);
    await this.refresh();
  }

  /** Takes one message. Resolves when it was taken (or settled, with a service that tells no sooner) or cancelled. */
  async pull(connector: string): Promise<void> {
    if (this.pulls.value.has(connector)) return;
    this.pulls.update((all) => new Map(all).set(connector, Date.now()));
    try {
      const until = this.#can('cancelConsume') ? ({ until: 'taken' } as const) : {};
      await this.#debug.call('debug.consume', { connector, ...until });
    } catch (error) {
      if (!this.#cancelled.delete(connector)) throw error;
    } finally {
      this.pulls.update((all) => new Map([...all].filter(([each]) => each !== connector)));
      void this.refresh();
    }
  }

  get canCancel(): boolean {
    return this.#can('cancelConsume');
  }

  /** Ends the wait for a message; nothing is taken then. */
  async cancel(connector: string): Promise<void> {
    if (!this.pulls.value.has(connector)) return;
    this.#cancelled.add(connector);
    await this.#debug.call('debug.cancelConsume', { connector });
  }

  #can(capability: string): boolean {
    return this.#debug.model.state.value.capabilities.has(capability);
  }

  #connectorOf(flow: string): string | undefined {
    return this.sources.value.find(({ flows = [] }) => flows.includes(flow))?.connector;
  }
}
