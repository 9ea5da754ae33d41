import { type EventName, type EventParams, socketChannel, WireClient } from '@svc/protocol/wire';

/** A client of the debug endpoint of a running service, with everything it received. */
export interface DebugClient extends Pick<WireClient, 'call'> {
  readonly events: readonly (readonly [EventName, Record<string, unknown>])[];
  /** Resolves with the next event of a kind, one that came before counts once. */
  next<E extends EventName>(event: E): Promise<EventParams<E>>;
  /** Ends the connection without a word. */
  leave(): Promise<void>;
}

const heard = ['event.flowStart', 'event.flowEnd', 'event.stopped', 'event.continued', 'event.captured'] as const;

export interface DebugClientOptions {
  /** Where one is needed. */
  readonly token?: string;
  /** Events that are heard too. */
  readonly more?: readonly EventName[];
}

/** Connects to the admin server at `address` and attaches. */
export async function debugClient(
  address: string,
  { token, more = [] }: DebugClientOptions = {},
): Promise<DebugClient> {
  const protocols = token === undefined ? [] : ['svc.debug', `svc.token.${token}`];
  const socket = new WebSocket(`${address.replace('http', 'ws')}/debug`, protocols);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('the debug endpoint refused the connection')));
  });
  const wire = new WireClient(socketChannel(socket));
  const events: [EventName, Record<string, unknown>][] = [];
  const taken = new Set<Record<string, unknown>>();
  const wake: (() => void)[] = [];
  for (const event of [...heard, ...more])
    wire.on(event, (params) => {
      events.push([event, { ...params }]);
      for (const each of wake.splice(0)) each();
    });
  await wire.call('debug.attach', { clientName: 'test', capabilities: ['gate', 'holds', 'outbox'] });
  return {
    events,
    call: (method, params) => wire.call(method, params),
    async next<E extends EventName>(event: E) {
      for (;;) {
        const found = events.find(([name, params]) => name === event && !taken.has(params));
        if (found !== undefined) {
          taken.add(found[1]);
          return found[1] as EventParams<E>;
        }
        await new Promise<void>((resolve) => wake.push(resolve));
      }
    },
    async leave() {
      socket.close();
      await wire.closed;
    },
  };
}
