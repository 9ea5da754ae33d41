import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Channel } from '@svc/protocol/wire';
import type { FlowProbe } from '../../../foundation/contracts/probe.ts';
import type { Metrics } from '../../../foundation/observe/metrics.ts';
import { EventGate } from '../gate.ts';
import type { DebuggedService } from '../inspect.ts';
import type { LiveOptions, startDebugger } from '../live.ts';
import type { AccessRules } from './access.ts';
import { Entrance } from './entrance.ts';

export interface EntryPointOptions
  extends Pick<LiveOptions, 'clock' | 'log' | 'variables' | 'masksNames' | 'maxPause' | 'worker' | 'outbox'> {
  readonly access: AccessRules;
  /** Whether event sources wait until a client is ready. Default: false. */
  readonly suspend?: boolean;
}

/** Milliseconds after which a pause ends by itself where nothing else is set. */
export const standardMaxPause = 1_800_000;

type Live = ReturnType<typeof startDebugger>;

/**
 * The debugger as the rest of the service knows it: a probe that says whether a client is attached, and the entry point of clients.
 * Until a client comes, nothing else of the debugger is loaded.
 */
export class DebugEntryPoint {
  readonly probe = new LateProbe();
  readonly gate: EventGate;
  readonly #options: EntryPointOptions;
  #service: () => DebuggedService | undefined = () => undefined;
  #metrics: Metrics | undefined;
  #live: Promise<Live> | undefined;
  readonly #entrance: Entrance;

  constructor(options: EntryPointOptions) {
    this.#options = options;
    const { access, log } = options;
    this.#entrance = new Entrance({ access, log, answering: async () => (await this.#start()).endpoint });
    this.gate = new EventGate(options.log, options.suspend ?? false, options.clock);
  }

  /** Sets the service that is debugged; called whenever a client asks about it. `metrics`: what it counts. */
  serve(service: () => DebuggedService | undefined, metrics?: Metrics): void {
    this.#service = service;
    this.#metrics = metrics;
    this.gate.serve(service);
  }

  /** Answers one connection that needs no permission: one that this process made itself. */
  async connect(channel: Channel): Promise<void> {
    (await this.#start()).endpoint.connect(channel);
  }

  /** Takes a request to change to WebSocket, or refuses it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#entrance.upgrade(request, socket, head);
  }

  /** Ends every connection, which lets every held thread run. */
  async close(): Promise<void> {
    const live = await this.#live;
    live?.endpoint.close();
    await this.#entrance.close();
  }

  #start(): Promise<Live> {
    this.#live ??= import('../live.ts').then(({ startDebugger }) => {
      const live = startDebugger({
        ...this.#options,
        service: () => this.#service(),
        gate: this.gate,
        metrics: this.#metrics,
        attachedChanged: (attached) => {
          this.probe.attached = attached;
          this.gate.attachedChanged(attached);
        },
      });
      this.probe.watcher = live.hub;
      return live;
    });
    return this.#live;
  }
}

/** Hands over to the hub once there is one; `attached` is a plain field, read once per request. */
class LateProbe implements FlowProbe {
  attached = false;
  watcher: FlowProbe | undefined;

  begin(...event: Parameters<FlowProbe['begin']>): unknown {
    return this.watcher?.begin(...event);
  }

  enter(...event: Parameters<FlowProbe['enter']>): void | Promise<void> {
    return this.watcher?.enter(...event);
  }

  leave(...event: Parameters<FlowProbe['leave']>): void | Promise<void> {
    return this.watcher?.leave(...event);
  }

  end(...event: Parameters<FlowProbe['end']>): void {
    this.watcher?.end(...event);
  }
}
