import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { linkConnections, releaseConnection } from './stream-links.ts';

const large = Buffer.alloc(24 * 1024 * 1024, 'x');

/** What a connection has that a server took, and what was done with it. */
interface Taken {
  readonly socket: Socket;
  readonly events: string[];
}

const watched = ['drain', 'finish', 'end', 'error', 'close'] as const;

/** A server whose connections are linked, with one caller that keeps its own side open. */
async function connected() {
  linkConnections();
  const taken: Taken[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const events: string[] = [];
    for (const event of watched) socket.on(event, () => events.push(event));
    socket.on('close', () => releaseConnection(socket));
    taken.push({ socket, events });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const caller = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  caller.on('error', () => undefined);
  caller.pause();
  await until(() => taken.length === 1);
  const [{ socket, events }] = taken as [Taken];
  return {
    socket,
    events,
    caller,
    async [Symbol.asyncDispose]() {
      caller.destroy();
      socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The class of the state, by which it is known whether a stream has a link. */
const stateOf = (stream: unknown) => (stream as { _writableState: { constructor: { name: string } } })._writableState;

describe('a connection with a link', () => {
  test('is one that a server took; other streams are as Node makes them', async () => {
    await using it = await connected();
    expect([it.socket, it.caller, new Transform()].map((stream) => stateOf(stream).constructor.name)).toEqual([
      'LinkedState',
      'WritableState',
      'WritableState',
    ]);
  });

  test('tells when its caller has taken what was written, calls back in order, finishes and closes', async () => {
    await using it = await connected();
    const order: number[] = [];
    expect(it.socket.write(large, () => order.push(1))).toBe(false);
    it.socket.write('a', () => order.push(2));
    it.socket.write('b', () => order.push(3));
    let length = 0;
    it.caller.on('data', (piece: Buffer) => {
      length += piece.length;
    });
    it.socket.resume();
    it.caller.resume();
    await until(() => it.events.includes('drain'));
    it.socket.end('c', () => order.push(4));
    await until(() => it.events.includes('finish'));
    it.caller.end();
    await until(() => it.events.includes('close'));
    // The system still has some of it for the caller.
    await until(() => it.caller.readableEnded);
    expect({ length, order, events: it.events, pending: it.socket.writableLength }).toEqual({
      length: large.length + 3,
      order: [1, 2, 3, 4],
      events: ['drain', 'finish', 'end', 'close'],
      pending: 0,
    });
  });

  test('fails what is written to a caller that is gone, and is closed once', async () => {
    await using it = await connected();
    const failures: (string | undefined)[] = [];
    const failed = (error?: Error | null) => failures.push((error as NodeJS.ErrnoException | null)?.code);
    it.socket.write(large, failed);
    it.socket.write('a', failed);
    it.caller.resetAndDestroy();
    await until(() => it.events.includes('close'));
    expect(failures).toHaveLength(2);
    expect(failures).not.toContain(undefined);
    expect(it.events).toEqual(['error', 'close']);
    expect([it.socket.destroyed, it.socket.writable, it.socket.errored === null]).toEqual([true, false, false]);
  });

  test('that is destroyed over a write fails it, and takes no other one', async () => {
    await using it = await connected();
    const failures: unknown[] = [];
    it.socket.write(large, (error) => failures.push(error instanceof Error));
    it.socket.write('a', (error) => failures.push(error instanceof Error));
    it.socket.destroy();
    await until(() => it.events.includes('close'));
    it.socket.write('b', (error) => failures.push(error instanceof Error));
    await until(() => failures.length === 3);
    expect({ failures, events: it.events }).toEqual({ failures: [true, true, true], events: ['close'] });
  });

  test('that is released does nothing when a write is said to have ended again', async () => {
    await using it = await connected();
    const { onwrite } = stateOf(it.socket) as unknown as { onwrite: (error?: Error) => void };
    it.socket.destroy();
    await until(() => it.events.includes('close'));
    onwrite();
    onwrite(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(it.events).toEqual(['close']);
  });

  test('gives errors of its own protocol as before: a second end of one write', async () => {
    await using it = await connected();
    const { onwrite } = stateOf(it.socket) as unknown as { onwrite: (error?: Error) => void };
    const errors: unknown[] = [];
    it.socket.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code));
    onwrite();
    await until(() => it.events.includes('close'));
    expect(errors).toEqual(['ERR_MULTIPLE_CALLBACK']);
  });
});
