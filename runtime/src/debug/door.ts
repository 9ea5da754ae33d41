import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Channel } from '@svc/protocol/wire';
import type { FlowProbe } from '../contracts/probe.ts';
import type { AccessRules } from './access.ts';
import { Entrance } from './entrance.ts';
import { EventGate } from './gate.ts';
import type { DebuggedService } from './inspect.ts';
import type { LiveOptions, startDebugger } from './live.ts';

export interface DoorOptions
  extends Pick<LiveOptions, 'clock' | 'log' | 'variables' | 'masksNames' | 'maxPause' | 'worker'> {
  readonly access: AccessRules;
  /** Whether event sources wait until a client is ready. Default: false. */
  readonly suspend?: boolean;
}

/** Milliseconds after which a pause ends by itself when nobody says otherwise. */
export const standardMaxPause = 1_800_000;

type Live = ReturnType<typeof startDebugger>;

/**
 * The debugger as the rest of the service knows it: a probe that says whether anybody is attached, and a way in.
 * Until a client comes, nothing else of the debugger is loaded.
 */
export class DebugDoor {
  readonly probe = new LateProbe();
  readonly gate: EventGate;
  readonly #options: DoorOptions;
  #service: () => DebuggedService | undefined = () => undefined;
  #live: Promise<Live> | undefined;
  readonly #entrance: Entrance;

  constructor(options: DoorOptions) {
    this.#options = options;
    const { access, log } = options;
    this.#entrance = new Entrance({ access, log, answering: async () => (await this.#start()).endpoint });
    this.gate = new EventGate(options.log, options.suspend ?? false, options.clock);
  }

  /** Says what serves; asked whenever a client wants to know. */
  serve(service: () => DebuggedService | undefined): void {
    this.#service = service;
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
    this.#live ??= import('./live.ts').then(({ startDebugger }) => {
      const live = startDebugger({
        ...this.#options,
        service: () => this.#service(),
        gate: this.gate,
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

  begin(...told: Parameters<FlowProbe['begin']>): unknown {
    return this.watcher?.begin(...told);
  }

  enter(...told: Parameters<FlowProbe['enter']>): void | Promise<void> {
    return this.watcher?.enter(...told);
  }

  leave(...told: Parameters<FlowProbe['leave']>): void | Promise<void> {
    return this.watcher?.leave(...told);
  }

  end(...told: Parameters<FlowProbe['end']>): void {
    this.watcher?.end(...told);
  }
}
