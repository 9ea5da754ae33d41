import {
  capabilities,
  connectClient,
  type EventName,
  type EventParams,
  events,
  type Methods,
  type Params,
  type Result,
  type WireClient,
} from '@svc/protocol/wire';
import type { Bridge } from '../../../shared/services.ts';
import type { LanguageClient } from '../../language/language-client.ts';
import { partOfStudio } from '../../shell/studio.ts';
import { Store } from '../../state/store.ts';
import { Breakpoints, keyOf } from '../breakpoints/breakpoints.ts';
import { FailureStops } from '../breakpoints/failure-stops.ts';
import { DebugModel } from './model.ts';
import { DebugRelay } from './relay.ts';
import type { Cut } from './thread.ts';

export type EventSources = Result<'debug.ready'>['sources'];

/** How freely event sources take messages; see `debug.setGate`. */
export type GatePosition = 'open' | 'single' | 'demand';

/** The first stage of every flow, before which `pause` stops what comes next. */
const firstStage = { stage: 'input', ruleIndex: -1 } as const;

/** The conversation with one running service: attached until detached, dialled again when the connection is lost. */
export class DebugSession {
  readonly model = new DebugModel();
  readonly breakpoints = new Breakpoints();
  readonly failureStops = new FailureStops();
  /** What the service takes messages from, as `debug.ready` answered. */
  readonly sources = new Store<EventSources>([]);
  /** Whether the service knows that whatever comes next is to be paused. */
  readonly isPausing = new Store(false);
  /** Called with each notification that the service keeps instead of sending it. */
  captured: (entry: EventParams<'event.captured'>) => void = () => undefined;
  /** Called when the service has taken where threads stop without a breakpoint. */
  stopsTaken: () => void = () => undefined;
  readonly #relay: DebugRelay;
  readonly #language: Pick<LanguageClient, 'know' | 'targets'>;
  #client: WireClient | undefined;
  #connection: { readonly stop: () => void } | undefined;
  /** Flows of the attached service. */
  #flows: readonly string[] = [];
  /** Where the person set the gate of all sources; undefined: nowhere. It is set again with each attachment. */
  #gate: GatePosition | undefined;
  #isPausing = false;
  /** Ends the pause before the next attempt. */
  #wake: () => void = () => undefined;

  /** `language` learns what the servers of connectors have. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(bridge: Pick<Bridge, 'call' | 'on'>, language: Pick<LanguageClient, 'know' | 'targets'>) {
    this.#language = language;
    this.#relay = new DebugRelay(bridge);
    this.breakpoints.changed = (flow) => {
      const sending = this.#sendBreakpoints(flow).catch(() => undefined);
      this.#sending = Promise.all([this.#sending, sending]);
    };
    const sendStops = () => {
      const sent = this.#sendFailureStops(this.model.state.value.capabilities);
      sent.then(() => this.isAttached && this.stopsTaken()).catch(() => undefined);
    };
    this.failureStops.state.subscribe(sendStops);
    this.breakpoints.isMuted.subscribe(sendStops);
  }

  get isAttached(): boolean {
    return this.model.state.value.connection === 'attached';
  }

  /** Resolves when attached. Rejects with the reason when the first connection cannot be made or is refused. */
  attach(address: string, token?: string): Promise<void> {
    this.detach();
    this.model.reset();
    this.model.connection({ connection: 'connecting', address });
    const first = Promise.withResolvers<void>();
    let isResumed = false;
    const connection = connectClient({
      open: async () => {
        const channel = await this.#relay.dial(address, token);
        isResumed = channel.resumed;
        return channel;
      },
      begin: async (client) => {
        await this.#begin(client, isResumed);
        first.resolve();
      },
      sleep: (milliseconds) =>
        new Promise((resolve) => {
          this.#wake = resolve;
          setTimeout(resolve, milliseconds);
        }),
      lost: (error) => {
        const wasAttached = this.#client !== undefined;
        this.#left('left');
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

  /**
   * Ends the session. Threads that it held run on, unless the service is over (`how`); what was known of them is kept
   * until the next session.
   */
  detach(how: Cut = 'left'): void {
    this.#connection?.stop();
    this.#connection = undefined;
    this.#left(how);
    this.model.connection({ connection: 'none', address: undefined, capabilities: new Set() });
    this.sources.set([]);
  }

  /** Ends the session and forgets everything that belongs to the folder that it was of. */
  forget(): void {
    this.detach();
    this.model.reset();
    this.model.log.set([]);
    this.#gate = undefined;
  }

  /** Says how freely all event sources take messages, now and after each start. */
  async setGate(position: GatePosition): Promise<void> {
    await this.call('debug.setGate', { position });
    this.#gate = position;
  }

  /** Pauses running threads at their next stage or rule, and whatever comes next before its first stage. */
  async pause(): Promise<void> {
    this.#isPausing = true;
    const running = this.model.state.value.threads.filter(({ isPaused, ended }) => !isPaused && !ended);
    // One that ends meanwhile cannot be paused; the next one is.
    await Promise.allSettled(running.map(({ id: threadId }) => this.call('debug.pause', { threadId })));
    await this.#sendAll();
    this.isPausing.set(this.#isPausing);
  }

  /** Pauses nothing any more that was not asked for by a breakpoint. */
  async cancelPause(): Promise<void> {
    if (!this.#isPausing) return;
    this.#isPausing = false;
    this.isPausing.set(false);
    await this.#sendAll();
  }

  /** Calls the attached service; rejects when none is. */
  call<M extends keyof Methods>(method: M, params: Params<M>): Promise<Result<M>> {
    return this.#client?.call(method, params) ?? Promise.reject(new Error('no service is attached'));
  }

  /** Asks again which threads there are and what each holds up. */
  async refreshThreads(): Promise<void> {
    this.model.listed((await this.call('debug.threads', {})).threads);
  }

  async #begin(client: WireClient, isResumed: boolean): Promise<void> {
    for (const name of Object.keys(events) as EventName[]) {
      const handle = this.model.handlers[name] as ((params: unknown) => void) | undefined;
      if (handle && name !== 'event.stopped') client.on(name, handle);
    }
    client.on('event.stopped', (params) => {
      const { flowName: flow, stage, name, rule, reason } = params;
      const place = { flow, stage, name: '', ruleIndex: rule?.index ?? -1 };
      const isOwn = this.breakpoints.marks.value.get(keyOf(place))?.isEnabled === true;
      const isPause = this.#isPausing && stage === firstStage.stage && rule === undefined && !isOwn;
      this.model.handlers['event.stopped']?.(isPause ? { ...params, reason: 'pause' } : params);
      if (reason === 'breakpoint') this.#countHit(flow, stage, name, rule?.index ?? -1);
      void this.cancelPause().catch(() => undefined);
      void this.refreshThreads().catch(() => undefined);
    });
    client.on('event.captured', (entry) => this.captured(entry));
    client.on('event.log', ({ flowName, stage, name, ruleIndex }) => this.#countHit(flowName, stage, name, ruleIndex));
    const understood = Object.keys(capabilities);
    const answer = await client.call('debug.attach', { clientName: 'svc studio', capabilities: understood });
    this.#client = client;
    this.#flows = answer.flows;
    // What the page before waited for is answered to no caller.
    if (isResumed && answer.capabilities.includes('cancelConsume')) await client.call('debug.cancelConsume', {});
    for (const flow of this.breakpoints.flows) await this.#sendBreakpoints(flow);
    await this.#sendFailureStops(new Set(answer.capabilities));
    if (this.#gate !== undefined && answer.capabilities.includes('gate'))
      await client.call('debug.setGate', { position: this.#gate });
    this.sources.set((await client.call('debug.ready', {})).sources);
    await this.refreshThreads();
    this.model.connection({ connection: 'attached', capabilities: new Set(answer.capabilities) });
    if (isResumed) await this.#findStops(client);
    if (!answer.capabilities.includes('targets')) return;
    void this.#learnTargets(client).catch(() => undefined);
    this.#language.targets.use(() => this.#learnTargets(client));
  }

  /** Asks what the servers of the connectors have, for those who write names of it. One that does not say it is left out. */
  async #learnTargets(client: WireClient): Promise<void> {
    const learn = async ({ name: connector }: { readonly name: string }) =>
      this.#language.know(connector, await client.call('inspect.targets', { connector }));
    // One server that is silent holds up no other.
    await Promise.allSettled((await client.call('inspect.connectors', {})).map(learn));
  }

  #countHit(flow: string, stage: string, name: string, ruleIndex: number): void {
    this.breakpoints.hit({ flow, stage, name, ruleIndex });
    if (name !== '') this.breakpoints.hit({ flow, stage, name: '', ruleIndex });
  }

  /** Threads that were paused before this page was there: what each holds says where it is. */
  async #findStops(client: WireClient): Promise<void> {
    for (const { id: threadId, isPaused } of this.model.state.value.threads)
      if (isPaused) this.model.foundPaused(threadId, (await client.call('debug.variables', { threadId })).rule);
  }

  #left(how: Cut): void {
    this.#client = undefined;
    this.#language.targets.use(undefined);
    this.#flows = [];
    this.#isPausing = false;
    this.isPausing.set(false);
    this.model.cut(how);
    this.breakpoints.forgetAnswers();
  }

  async #sendAll(): Promise<void> {
    for (const flow of new Set([...this.#flows, ...this.breakpoints.flows])) await this.#sendBreakpoints(flow);
  }

  /** Says at which failures and drops threads stop, as far as the service knows such stops. */
  async #sendFailureStops(capabilities: ReadonlySet<string>): Promise<void> {
    const client = this.#client;
    const { codes, types, gates } = this.failureStops.wanted(this.breakpoints.isMuted.value);
    if (client === undefined) return;
    const named = capabilities.has('failureTypes') ? { types } : {};
    if (capabilities.has('failure')) await client.call('debug.setFailureBreakpoints', { codes, ...named });
    if (capabilities.has('drop')) await client.call('debug.setDropBreakpoints', { gates });
  }

  /** Sends the breakpoints of one flow; a flow that the service does not know leaves them unverified. */
  /** Resolves when the service has all breakpoints; undefined where no service is attached. */
  whenSent(): Promise<unknown> | undefined {
    return this.#client && this.#sending;
  }

  async #sendBreakpoints(flow: string): Promise<void> {
    const wanted = this.breakpoints.wanted(flow);
    const client = this.#client;
    if (client === undefined) return;
    try {
      const pausing = this.#isPausing ? [firstStage] : [];
      const { breakpoints } = await client.call('debug.setBreakpoints', { flow, breakpoints: [...pausing, ...wanted] });
      this.breakpoints.checked(flow, breakpoints.slice(pausing.length));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.breakpoints.checked(
        flow,
        wanted.map((each) => ({ ...each, verified: false, message })),
      );
    }
  }
}

export const debugOf = partOfStudio(({ bridge, language }) => new DebugSession(bridge, language));
