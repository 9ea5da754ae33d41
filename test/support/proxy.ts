import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * What the network does to bytes that pass.
 *
 * - `pass`: nothing.
 * - `refuse`: a new connection is reset at once.
 * - `blackhole`: connections open, and nothing passes in either direction.
 * - `drip`: a few bytes at a time.
 * - `hold`: what the server answers waits until the fault is another one.
 * - `cut`: half of the next piece passes, then both ends are reset.
 * - `corrupt`: every seventh byte arrives as another one, from the server to the client.
 */
export type Fault = 'pass' | 'refuse' | 'blackhole' | 'drip' | 'hold' | 'cut' | 'corrupt';

/** A TCP proxy in front of a server, whose faults can be changed at any time; they hold for open connections too. */
export interface FaultProxy {
  readonly port: number;
  fault: Fault;
  /** Milliseconds that every piece is late. */
  latency: number;
  /** Times that a client sent something since this was last set to 0. */
  sends: number;
  /**
   * Round trips since this was last set to 0: times that a client sent something after it had been answered, whatever
   * it sent before the next answer. With some latency, commands of one turn are counted once for certain.
   */
  turns: number;
  /** Connections that were refused so far. */
  readonly refused: number;
  /** Connections that are open now. */
  readonly connections: number;
  /** Resets every open connection; new ones are accepted. */
  reset(): void;
  /** Nothing passes over the connections that are open any more, while new ones are not touched. */
  silence(): void;
  close(): Promise<void>;
}

/** Bytes of one drop, and milliseconds between two of them. */
const drop = { bytes: 8, pause: 5 };

/** `listen` is the port of the proxy; absent: a free one. `sent` sees every piece that a client sends. */
export async function faultProxy(
  target: { host?: string; port: number; listen?: number },
  sent: (piece: Buffer) => void = () => undefined,
): Promise<FaultProxy> {
  const open = new Set<Socket>();
  const silenced = new WeakSet<Socket>();
  const state = { fault: 'pass' as Fault, latency: 0, sends: 0, turns: 0, refused: 0 };
  let release: () => void = () => undefined;
  let released = Promise.resolve();
  // Pieces are passed as they come, not when the ones before them were acknowledged.
  const server = createServer({ noDelay: true }, (client) => {
    if (state.fault === 'refuse') {
      state.refused++;
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ port: target.port, host: target.host ?? '127.0.0.1', noDelay: true });
    let isAnswered = true;
    client.on('data', (piece) => {
      sent(piece);
      state.sends += 1;
      if (isAnswered) state.turns += 1;
      isAnswered = false;
    });
    link(client, upstream);
    link(upstream, client, () => {
      isAnswered = true;
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(target.listen ?? 0, '127.0.0.1', resolve);
  });

  /** `passed` is given for what a server answers. */
  function link(from: Socket, to: Socket, passed?: () => void): void {
    open.add(from);
    // Pieces are forwarded one after another, so that none overtakes another whatever the latency is meanwhile.
    let turn = Promise.resolve();
    from.on('data', (piece) => {
      if (state.fault === 'blackhole' || silenced.has(from)) return;
      const sent = state.fault === 'corrupt' && passed !== undefined ? corrupted(piece) : piece;
      turn = turn
        .then(() => (passed === undefined ? undefined : released))
        .then(() => forward(sent, from, to))
        .then(passed);
    });
    from.on('end', () => {
      turn = turn.then(() => void to.end());
    });
    from.on('error', () => {
      // A socket that cannot be reset because it is being ended says so with an error, and never that it is closed.
      open.delete(from);
      to.resetAndDestroy();
    });
    from.on('close', () => {
      open.delete(from);
      turn.then(() => to.destroy());
    });
  }

  async function forward(piece: Buffer, from: Socket, to: Socket): Promise<void> {
    if (state.latency > 0) await pause(state.latency);
    if (state.fault === 'cut') {
      to.write(piece.subarray(0, piece.length >> 1), () => {
        to.resetAndDestroy();
        from.resetAndDestroy();
      });
    } else if (state.fault === 'drip') {
      for (let at = 0; at < piece.length && !to.destroyed; at += drop.bytes) {
        to.write(piece.subarray(at, at + drop.bytes));
        await pause(drop.pause);
      }
    } else if (!to.destroyed) to.write(piece);
  }

  return {
    port: (server.address() as AddressInfo).port,
    get fault() {
      return state.fault;
    },
    set fault(fault) {
      release();
      if (fault === 'hold')
        released = new Promise((resolve) => {
          release = resolve;
        });
      state.fault = fault;
    },
    get latency() {
      return state.latency;
    },
    set latency(latency) {
      state.latency = latency;
    },
    get sends() {
      return state.sends;
    },
    set sends(sends) {
      state.sends = sends;
    },
    get turns() {
      return state.turns;
    },
    set turns(turns) {
      state.turns = turns;
    },
    get refused() {
      return state.refused;
    },
    get connections() {
      return open.size / 2;
    },
    reset() {
      for (const socket of open) socket.resetAndDestroy();
    },
    silence() {
      for (const socket of open) silenced.add(socket);
    },
    close() {
      release();
      for (const socket of open) socket.resetAndDestroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function corrupted(piece: Buffer): Buffer {
  return Buffer.from(piece.map((byte, at) => (at % 7 === 6 ? byte ^ 0xff : byte)));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
