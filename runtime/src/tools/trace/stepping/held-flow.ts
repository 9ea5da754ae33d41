import type { Project } from '@svc/protocol/model';
import {
  type Breakpoint,
  type CheckedBreakpoint,
  type EventParams,
  joinedChannels,
  WireClient,
} from '@svc/protocol/wire';
import type { FlowProbe, WatchedStage } from '../../../foundation/contracts/probe.ts';
import type { Clock, Reading } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { EventGate } from '../../../service/debug/gate.ts';
import { startDebugger } from '../../../service/debug/live.ts';

export type Stopped = EventParams<'event.stopped'>;

/** How a paused flow continues: to its end, to the next stage, to the next rule. */
export type Resumption = 'debug.continue' | 'debug.next' | 'debug.stepInto';

export interface HeldFlowOptions {
  readonly project: Project;
  readonly clock: Clock;
  readonly log: Log;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly masksNames: boolean;
  /** Milliseconds. */
  readonly maxPause: number;
}

export type Stages = ReadonlyMap<string, readonly WatchedStage[]>;

/** The service's own debugger over the flows of one trace, with one client: the interface that sets breakpoints. */
export class HeldFlow {
  readonly probe: FlowProbe;
  readonly client: WireClient;
  readonly #clock: Clock;
  readonly #stopped = new Set<string>();
  #stages: Stages = new Map();
  #paused = 0;
  #since: Reading;

  constructor(options: HeldFlowOptions) {
    const { project, log } = options;
    const { hub, endpoint } = startDebugger({
      ...options,
      service: () => ({ project, stages: this.#stages }),
      gate: new EventGate(log, false),
      attachedChanged: () => undefined,
    });
    const [ours, theirs] = joinedChannels();
    endpoint.connect(theirs);
    this.probe = hub;
    this.client = new WireClient(ours);
    this.#clock = options.clock;
    this.#since = options.clock.reading();
  }

  get stages(): Stages {
    return this.#stages;
  }

  /** Milliseconds for which any of the flows was paused so far. */
  readonly paused = (): number => this.#paused + (this.#stopped.size === 0 ? 0 : this.#clock.since(this.#since));

  /** Begins the session; before it, nothing is stopped. */
  async attach(stages: Stages, stopped: (stop: Stopped) => void): Promise<void> {
    this.#stages = stages;
    await this.client.call('debug.attach', { clientName: 'svc trace', capabilities: ['log'] });
    this.client.on('event.stopped', (stop) => {
      if (this.#stopped.size === 0) this.#since = this.#clock.reading();
      this.#stopped.add(stop.threadId);
      stopped(stop);
    });
    // A pause ends by itself when it takes too long.
    this.client.on('event.continued', ({ threadId }) => this.#runs(threadId));
  }

  /** Replaces the breakpoints of a flow. */
  async setBreakpoints(flow: string, breakpoints: readonly Breakpoint[]): Promise<readonly CheckedBreakpoint[]> {
    return (await this.client.call('debug.setBreakpoints', { flow, breakpoints })).breakpoints;
  }

  async resume(threadId: string, how: Resumption): Promise<void> {
    await this.client.call(how, { threadId });
    this.#runs(threadId);
  }

  #runs(threadId: string): void {
    if (this.#stopped.delete(threadId) && this.#stopped.size === 0) this.#paused += this.#clock.since(this.#since);
  }
}
