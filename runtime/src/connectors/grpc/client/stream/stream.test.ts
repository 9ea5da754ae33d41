import { once } from 'node:events';
import { Server, ServerCredentials, type ServerWritableStream, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../../test/support/folder.ts';
import { until } from '../../../../../../test/support/until.ts';
import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { Binding } from '../../../../foundation/contracts/source.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import { create } from '../connector.ts';
import { grpcClient } from '../spec.ts';

const proto = `syntax = "proto3";
package market;
message Symbol {
  string name = 1;
}
message Price {
  string name = 1;
  int64 at = 2;
}
service Prices {
  rpc Watch (Symbol) returns (stream Price);
  rpc Get (Symbol) returns (Price);
}
`;

type Call = ServerWritableStream<Buffer, Buffer>;
const asIs = (bytes: Buffer) => bytes;

/** Field 1 as a text and field 2 as a number (https://protobuf.dev/programming-guides/encoding/). */
const price = (name: string, at: number) =>
  Buffer.concat([Buffer.from([0x0a, name.length]), Buffer.from(name), Buffer.from([0x10, at])]);

let server: Server;
let port: number;
let calls: Call[];

async function listen(at = 0): Promise<void> {
  server = new Server();
  server.register('/market.Prices/Watch', (call: Call) => void calls.push(call), asIs, asIs, 'serverStream');
  port = await new Promise((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${at}`, ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
}

beforeEach(async () => {
  calls = [];
  await listen();
});
afterEach(() => server.forceShutdown());

const watching = (deliver: (message: Message) => Outcome | Promise<Outcome>, message?: unknown): Binding => ({
  flow: 'f',
  operation: 'market.Prices/Watch',
  words: message === undefined ? {} : { message },
  deliver,
});

async function opened(bindings: readonly Binding[], streams: Record<string, unknown> = {}) {
  // Waits between tries are over at once.
  const waits: number[] = [];
  const sleep = (wait: number) => {
    waits.push(wait);
    return new Promise<void>((resolve) => setImmediate(resolve));
  };
  const clock = { ...systemClock, sleep };
  const services = connectorServices({ clock, directory: folderWith({ 'p.proto': proto }) });
  const written = { target: `127.0.0.1:${port}`, proto_files: ['p.proto'], streams };
  const connector = create('prices', configured(grpcClient.config, written) as never, services);
  onTestFinished(() => connector.close(AbortSignal.abort()));
  const use = async (flows: readonly Binding[]) => {
    const bound = connector.source!.bind(flows);
    await bound.prepare();
    bound.use();
  };
  await use(bindings);
  await connector.open(AbortSignal.timeout(20_000));
  await connector.source!.start();
  return { connector, waits, use };
}

const answered: Outcome = { kind: 'reply', value: {} };

/** A flow that keeps something of each message. */
const taking =
  (got: unknown[], of: (message: Message) => unknown = ({ input }) => input['at']) =>
  (message: Message): Outcome => {
    got.push(of(message));
    return answered;
  };

describe('messages of a stream begin flows', () => {
  test('each with the fields of the message, asked for with the message that the flow says', async () => {
    const got: unknown[] = [];
    await opened([
      watching(
        taking(got, ({ input }) => input),
        { name: 'SVC' },
      ),
    ]);
    await until(() => calls.length === 1);
    expect(String(calls[0]?.request)).toContain('SVC');
    for (let at = 1; at <= 3; at++) calls[0]?.write(price('SVC', at));
    await until(() => got.length === 3);
    expect(got).toEqual([1, 2, 3].map((at) => ({ name: 'SVC', at })));
  });

  test('what is asked for with one message is one stream, with another one another stream', async () => {
    const got: unknown[] = [];
    const take = (who: string) => taking(got, ({ input }) => [who, input['at']]);
    await opened([
      { ...watching(take('a'), { name: 'A' }), flow: 'a' },
      { ...watching(take('b'), { name: 'A' }), flow: 'b' },
      { ...watching(take('c'), { name: 'C' }), flow: 'c' },
    ]);
    await until(() => calls.length === 2);
    const [first, second] = [...calls].sort((x, y) => String(x.request).localeCompare(String(y.request)));
    first?.write(price('A', 1));
    second?.write(price('C', 2));
    await until(() => got.length === 3);
    expect(got.sort()).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 2],
    ]);
  });

  test.each([
    ['ends', (call: Call) => call.end()],
    ['fails', (call: Call) => call.emit('error', { code: status.UNAVAILABLE, details: 'later' })],
  ])('a stream that %s is begun again', async (_, stop) => {
    const got: unknown[] = [];
    const { connector } = await opened([watching(taking(got))]);
    await until(() => calls.length === 1);
    stop(calls[0]!);
    await until(() => calls.length >= 2);
    calls.at(-1)?.write(price('A', 9));
    await until(() => got.includes(9));
    expect(await connector.check!(AbortSignal.timeout(20_000))).toBe(undefined);
  });

  test('a server that goes and comes again is followed again', async () => {
    const got: unknown[] = [];
    await opened([watching(taking(got))]);
    await until(() => calls.length === 1);
    server.forceShutdown();
    calls = [];
    await listen(port);
    await until(() => calls.length >= 1);
    calls.at(-1)?.write(price('A', 7));
    await until(() => got.includes(7));
  });

  test('waits before it is begun again grow, and no longer than they may', async () => {
    const { waits } = await opened([watching(() => answered)], { max_reconnect_interval: 3_000 });
    for (let at = 0; at < 6; at++) {
      await until(() => calls.length === at + 1);
      calls[at]?.end();
    }
    await until(() => waits.length === 6);
    for (const [at, wanted] of [1_000, 2_000, 3_000, 3_000, 3_000, 3_000].entries()) {
      expect(waits[at]).toBeGreaterThanOrEqual(wanted * 0.8);
      expect(waits[at]).toBeLessThanOrEqual(Math.min(wanted * 1.2, 3_000));
    }
  });

  test('as many are handled at the same time as there are workers', async () => {
    const waiting: (() => void)[] = [];
    const take = () => new Promise<Outcome>((resolve) => waiting.push(() => resolve(answered)));
    await opened([watching(take)], { workers: 3 });
    await until(() => calls.length === 1);
    for (let at = 1; at <= 7; at++) calls[0]?.write(price('A', at));
    for (let done = 0; done < 7; done++) {
      await until(() => waiting.length === Math.min(3, 7 - done));
      waiting.shift()!();
    }
  });

  test('what there is no room for waits at the server, and nothing of it is lost', async () => {
    const waiting: (() => void)[] = [];
    const got: unknown[] = [];
    const take = ({ input }: Message) => {
      got.push(input['at']);
      return new Promise<Outcome>((resolve) => waiting.push(() => resolve(answered)));
    };
    const { connector } = await opened([watching(take)], { prefetch: 2, workers: 1 });
    await until(() => calls.length === 1);
    const count = 300;
    const written = (async () => {
      for (let at = 0; at < count; at++)
        if (calls[0]?.write(price('x'.repeat(100), at % 100)) === false) await once(calls[0], 'drain');
    })();
    let most = 0;
    for (let done = 0; done < count; done++) {
      await until(() => waiting.length === 1);
      most = Math.max(most, connector.source!.events!.unsettled);
      waiting.shift()!();
    }
    await written;
    expect(got).toEqual(Array.from({ length: count }, (_, at) => at % 100));
    // A message that had come already when the window was full.
    expect(most).toBeLessThanOrEqual(3);
  });

  test('flows that follow are given what comes from then on, and streams that no flow wants end', async () => {
    const got: string[] = [];
    const take = (who: string) => taking(got, () => who);
    const { use } = await opened([watching(take('old'), { name: 'A' })]);
    await until(() => calls.length === 1);
    const [old] = calls;
    await use([watching(take('new'), { name: 'B' })]);
    await until(() => calls.length === 2 && old?.cancelled === true);
    calls[1]?.write(price('B', 1));
    await until(() => got.length === 1);
    expect(got).toEqual(['new']);
  });

  test('a close ends streams after what was taken', async () => {
    let finish: (() => void) | undefined;
    const { connector } = await opened([
      watching(() => new Promise<Outcome>((resolve) => (finish = () => resolve(answered)))),
    ]);
    await until(() => calls.length === 1);
    calls[0]?.write(price('A', 1));
    await until(() => finish !== undefined);
    const closed = connector.close();
    finish?.();
    await closed;
    await until(() => calls[0]?.cancelled === true);
  });

  test.each([
    ['a method that answers once', { ...watching(() => answered), operation: 'market.Prices/Get' }, 'has no events'],
    ['a message with another field', watching(() => answered, { nam: 'A' }), 'nam'],
  ])('%s stops the start', async (_, binding, says) => {
    await expect(opened([binding])).rejects.toThrow(says);
  });
});
