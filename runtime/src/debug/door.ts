import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Channel } from '@svc/protocol/wire';
import type { FlowProbe } from '../plan/plan.ts';
import { type AccessRules, refusalOf } from './access.ts';
import type { DebuggedService } from './inspect.ts';
import type { LiveOptions, startDebugger } from './live.ts';
import { refuse } from './refuse.ts';
import type { DebugSockets } from './sockets.ts';

export interface DoorOptions extends Pick<LiveOptions, 'clock' | 'log' | 'variables' | 'masksNames' | 'maxPause'> {
  readonly access: AccessRules;
}

/** Milliseconds after which a pause ends by itself when nobody says otherwise (decisions 33). */
export const standardMaxPause = 1_800_000;

type Live = ReturnType<typeof startDebugger>;

/**
 * The debugger as the rest of the service knows it: a probe that says whether anybody is attached, and a way in.
 * Until a client comes, nothing else of the debugger is loaded.
 */
export class DebugDoor {
  readonly probe = new LateProbe();
  readonly #options: DoorOptions;
  #service: () => DebuggedService | undefined = () => undefined;
  #live: Promise<Live> | undefined;
  #sockets: Promise<DebugSockets> | undefined;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  /** Says what serves; asked whenever a client wants to know. */
  serve(service: () => DebuggedService | undefined): void {
    this.#service = service;
  }

  /** Answers one connection that needs no permission: one that this process made itself. */
  async connect(channel: Channel): Promise<void> {
    (await this.#start()).endpoint.connect(channel);
  }

  /** Takes a request to change to WebSocket, or refuses it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = refusalOf(request, this.#options.access);
    if (refusal !== undefined) return refuse(socket, refusal.status, refusal.reason);
    const gone = () => socket.destroy();
    socket.on('error', gone);
    this.#sockets ??= this.#listen();
    this.#sockets.then(
      (sockets) => {
        socket.off('error', gone);
        sockets.accept(request, socket, head);
      },
      (error: unknown) => {
        this.#options.log.error('the debug endpoint failed', { error });
        refuse(socket, 500, 'internal error');
      },
    );
  }

  /** Ends every connection, which lets every held thread run. */
  async close(): Promise<void> {
    const live = await this.#live;
    live?.endpoint.close();
    (await this.#sockets)?.close();
  }

  async #listen(): Promise<DebugSockets> {
    const [{ DebugSockets }, { endpoint }] = await Promise.all([import('./sockets.ts'), this.#start()]);
    return new DebugSockets(endpoint);
  }

  #start(): Promise<Live> {
    this.#live ??= import('./live.ts').then(({ startDebugger }) => {
      const live = startDebugger({
        ...this.#options,
        service: () => this.#service(),
        attachedChanged: (attached) => (this.probe.attached = attached),
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
