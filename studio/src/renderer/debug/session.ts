import {
  capabilities,
  connectClient,
  type EventName,
  events,
  type Methods,
  type Params,
  type Result,
  type WireClient,
} from '@svc/protocol/wire';
import type { Bridge } from '../../shared/services.ts';
import { Store } from '../state/store.ts';
import { Breakpoints } from './breakpoints.ts';
import { DebugModel } from './model.ts';
import { DebugRelay } from './relay.ts';

export type EventSources = Result<'debug.ready'>['sources'];

/** The conversation with one running service: attached until detached, dialled again when the connection is lost. */
export class DebugSession {
  readonly model = new DebugModel();
  readonly breakpoints = new Breakpoints();
  /** What the service takes messages from, as `debug.ready` answered. */
  readonly sources = new Store<EventSources>([]);
  readonly #relay: DebugRelay;
  #client: WireClient | undefined;
  #connection: { readonly stop: () => void } | undefined;
  /** Ends the pause before the next attempt. */
  #wake: () => void = () => undefined;

  constructor(bridge: Pick<Bridge, 'call' | 'on'>) {
    this.#relay = new DebugRelay(bridge);
    this.breakpoints.changed = (flow) => void this.#sendBreakpoints(flow).catch(() => undefined);
  }

  get isAttached(): boolean {
    return this.model.state.value.connection === 'attached';
  }

  /** Resolves when attached. Rejects with the reason when the first connection cannot be made or is refused. */
  attach(address: string, token?: string): Promise<void> {
    this.detach();
    this.model.connection({ connection: 'connecting', address });
    const first = Promise.withResolvers<void>();
    const connection = connectClient({
      open: () => this.#relay.dial(address, token),
      begin: async (client) => {
        await this.#begin(client);
        first.resolve();
      },
      sleep: (milliseconds) =>
        new Promise((resolve) => {
          this.#wake = resolve;
          setTimeout(resolve, milliseconds);
        }),
      lost: (error) => {
        const wasAttached = this.#client !== undefined;
        this.#client = undefined;
        this.model.reset();
        this.breakpoints.forgetAnswers();
        if (wasAttached) return this.model.connection({ connection: 'lost' });
        if (this.model.state.value.connection === 'lost') return;
        this.detach();
        first.reject(error ?? new Error(`${address} closed the connection`));
      },
    });
    this.#connection = connection;
    connection.ended.catch((error: Error) => {
      this.detach();
      first.reject(error);
    });
    return first.promise;
  }

  /** Dials a lost connection at once instead of waiting for the next attempt. */
  retry(): void {
    this.#wake();
  }

  /** Ends the session; threads that it held run on. */
  detach(): void {
    this.#connection?.stop();
    this.#connection = undefined;
    this.#client = undefined;
    this.model.reset();
    this.model.connection({ connection: 'none', address: undefined, capabilities: new Set() });
    this.breakpoints.forgetAnswers();
    this.sources.set([]);
  }

  /** Calls the attached service; rejects when none is. */
  call<M extends keyof Methods>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.#client?.call(method, params) ?? Promise.reject(new Error('no service is attached'));
  }

  /** Asks again which threads there are and what each holds up. */
  async refreshThreads(): Promise<void> {
    this.model.listed((await this.call('debug.threads', {})).threads);
  }

  async #begin(client: WireClient): Promise<void> {
    for (const name of Object.keys(events) as EventName[]) {
      const handle = this.model.handlers[name] as ((params: unknown) => void) | undefined;
      if (handle) client.on(name, handle);
    }
    client.on('event.stopped', ({ flowName: flow, stage, name, rule, reason }) => {
      if (reason === 'breakpoint') this.#countHit(flow, stage, name, rule?.index ?? -1);
      void this.refreshThreads().catch(() => undefined);
    });
    client.on('event.log', ({ flowName, stage, name, ruleIndex }) => this.#countHit(flowName, stage, name, ruleIndex));
    const understood = Object.keys(capabilities);
    const answer = await client.call('debug.attach', { clientName: 'svc studio', capabilities: understood });
    this.#client = client;
    for (const flow of this.breakpoints.flows) await this.#sendBreakpoints(flow);
    this.sources.set((await client.call('debug.ready', {})).sources);
    this.model.connection({ connection: 'attached', capabilities: new Set(answer.capabilities) });
    await this.refreshThreads();
  }

  #countHit(flow: string, stage: string, name: string, ruleIndex: number): void {
    this.breakpoints.hit({ flow, stage, name, ruleIndex });
    if (name !== '') this.breakpoints.hit({ flow, stage, name: '', ruleIndex });
  }

  /** Sends the breakpoints of one flow; a flow that the service does not know leaves them unverified. */
  async #sendBreakpoints(flow: string): Promise<void> {
    const wanted = this.breakpoints.wanted(flow);
    const client = this.#client;
    if (client === undefined) return;
    try {
      const { breakpoints } = await client.call('debug.setBreakpoints', { flow, breakpoints: wanted });
      this.breakpoints.checked(flow, breakpoints);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.breakpoints.checked(
        flow,
        wanted.map((each) => ({ ...each, verified: false, message })),
      );
    }
  }
}
