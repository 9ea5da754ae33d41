import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { pushedSources, stopServers } from '../manual-consume/pushed-sources.ts';
import { copyConfiguration, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { type KeptPlace, keptSources } from './places.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
afterAll(stopServers);

/** A configuration with this in it. */
function configured(text: string): string {
  const directory = copyConfiguration(import.meta.dirname);
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'orders.hcl'), text);
  return directory;
}

/** What `svc queue` writes, by standard output or error, and its status. */
async function queue(directory: string, args: readonly string[], input = '') {
  const { code, stdout, stderr } = await runCommand(['queue', ...args, '-c', directory], {}, input);
  return { code, stdout, stderr };
}

const flow = (accepted: string) => `
flow "keep" {
  from {
    connector = "orders"
  }
  accept {
    when      = "${accepted}"
    on_reject = "reject"
  }
  to {
    connector = "sink"
    operation = "POST /kept"
  }
}
`;

describe.each(keptSources)('svc queue at $name', ({ isHere, place: makePlace }) => {
  let sink: Upstream;
  let place: KeptPlace;
  beforeEach(async ({ skip }) => {
    skip(!isHere, 'no server of it');
    sink = await startUpstream();
    cleanups.push(() => sink.close());
    place = await makePlace();
    cleanups.push(() => place.close());
  });

  const start = async (accepted: string) => {
    const service = await startScenario(import.meta.dirname, {
      env: { SINK_URL: sink.address },
      prepare: (directory) => writeFileSync(join(directory, 'orders.hcl'), `${place.connector}\n${flow(accepted)}`),
    });
    cleanups.push(() => service.end());
    return service;
  };
  const kept = () => sink.received.map(({ body }) => (JSON.parse(body) as { body: unknown }).body);

  test('messages are sent and looked at as often as wished; dead letters are shown, and sent back when that is confirmed', async () => {
    const directory = configured(`${place.connector}\n${flow('true')}`);
    // Sending declares nothing: the queue is made first, where it is to be made at all.
    await runCommand(['check', '--create-queues', '-c', directory]);
    const publish = ['publish', 'orders', '--input', '-', ...(place.isNamed ? ['--target', place.target] : [])];
    expect(await queue(directory, publish, '{"id": 1}\n{"id": 90071992547409931}\n')).toEqual({
      code: 0,
      stdout: `2 messages sent to ${place.target}\n`,
      stderr: '',
    });
    const peek = async (...args: readonly string[]) => {
      const { stdout, stderr } = await queue(directory, ['peek', 'orders', '--format', 'json', ...args]);
      expect(stderr).toBe('');
      const { connector, messages } = JSON.parse(stdout) as {
        connector: string;
        messages: { source: string; position: string; key: string; headers: Record<string, unknown>; body: unknown }[];
      };
      expect(connector).toBe('orders');
      return messages;
    };
    const places = (messages: Awaited<ReturnType<typeof peek>>) =>
      messages.map(({ source, position, key, body }) => [source, position, key, body]);
    const expected = (source: string, positions: KeptPlace['positions'], found: Awaited<ReturnType<typeof peek>>) =>
      [{ id: 1 }, { id: '90071992547409931' }].map((body, at) => {
        const [position, key] = positions[at] as readonly [string, string];
        return [source, position, key === 'any' ? found[at]?.key : key, body];
      });
    for (const _ of [1, 2]) {
      const found = await peek();
      expect(places(found)).toEqual(expected(place.waiting, place.positions, found));
    }
    const shown = await queue(directory, ['peek', 'orders', '--limit', '1']);
    expect(shown.stdout.split('\n').at(0)).toMatch(new RegExp(`^${place.waiting} ${place.positions[0]?.[0]} `));
    expect(shown.stdout.split('\n').at(-2)).toBe('  {"id":1}');

    const refusing = await start('false');
    await until(async () => (await queue(directory, ['peek', 'orders', '--dead'])).stdout.split('\n').length > 4);
    expect((await refusing.stop()).code).toBe(0);
    const dead = await peek('--dead');
    expect(places(dead)).toEqual(expected(place.dead, place.deadPositions, dead));
    expect(await peek()).toEqual([]);
    expect((await queue(directory, ['peek', 'orders'])).stdout).toBe('No messages wait.\n');

    const asked = await queue(directory, ['replay', 'orders']);
    expect([asked.code, asked.stdout.split('\n').at(-2)]).toEqual([
      0,
      'Nothing was sent: --yes sends 2 messages back.',
    ]);
    const first = await queue(directory, ['replay', 'orders', '--yes', '--limit', '1']);
    expect(first).toEqual({
      code: 0,
      stdout: `${place.dead} ${place.deadPositions[0]?.[0]} -> ${place.target}\n1 message sent back\n`,
      stderr: '',
    });
    expect([(await peek()).length, (await peek('--dead')).length]).toEqual([1, 1]);
    const second = await queue(directory, ['replay', 'orders', '--yes', '--format', 'json']);
    expect(JSON.parse(second.stdout)).toMatchObject({
      connector: 'orders',
      replayed: [{ source: place.dead, body: { id: '90071992547409931' }, to: place.target }],
      dead_letters: [],
    });
    expect((await queue(directory, ['replay', 'orders', '--yes'])).stdout).toBe('0 messages sent back\n');
    expect((await queue(directory, ['replay', 'orders'])).stdout).toBe('No dead letters.\n');

    await start('true');
    await until(() => kept().length === 2);
    expect(kept()).toEqual([{ id: 1 }, { id: '90071992547409931' }]);
  });

  test('what is not there is named, and nothing is made by looking', async () => {
    const missing = place.connector
      .replace(/queue +=.*/, 'queue = "svc-test-missing"')
      .replace(/topics +=.*/, 'topics = ["svc-test-missing"]')
      .replace(/stream +=.*/, 'stream = "svc-test-missing"');
    const directory = configured(`${missing}\n${flow('true')}`);
    for (const _ of [1, 2]) {
      const { code, stdout, stderr } = await queue(directory, ['peek', 'orders']);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^svc queue: (?:queue|topic) "svc-test-missing" does not exist at the brokers?\n$|^svc queue: consumer "taking" of stream "svc-test-missing": stream not found\n$/,
      );
    }
  });
});

describe.each(pushedSources)('svc queue at $name, whose messages are pushed', ({ isHere, place: makePlace, name }) => {
  test('can send where the connector can, and says why it can do nothing else', async ({ skip }) => {
    skip(!isHere, 'no server of it');
    const place = await makePlace();
    cleanups.push(() => place.close());
    const text = `${place.connector}
flow "keep" {
  from {
    connector = "orders"
    operation = "${place.operation}"
  }
}`;
    const directory = configured(text);
    const isQueue = !['changes of mongodb', 'websocket'].includes(name);
    for (const word of ['peek', 'replay']) {
      const { code, stdout, stderr } = await queue(directory, [word, 'orders']);
      const doing = word === 'peek' ? 'looked at' : 'sent back';
      const reason = isQueue
        ? `messages of connector "orders" (${place.type}) cannot be ${doing}: it takes none, or its broker keeps none for it`
        : `connector "orders" (${place.type}) is not a queue: the configuration has no queue`;
      expect([code, stdout, stderr]).toEqual([1, '', `svc queue: ${reason}\n`]);
    }
    const sent = await queue(directory, ['publish', 'orders', '--input', '-'], '[{"n": 1}, {"n": 2}, {"n": 3}]');
    const refused = isQueue
      ? 'connector "orders" (cdc) sends no messages'
      : `connector "orders" (${place.type}) is not a queue: the configuration has no queue`;
    expect(sent).toEqual(
      isQueue && name !== 'cdc'
        ? { code: 0, stdout: `3 messages sent to ${place.operation}\n`, stderr: '' }
        : { code: 1, stdout: '', stderr: `svc queue: ${refused}\n` },
    );
  });
});

test('what is asked wrongly is wrong usage, and what cannot be is said', async () => {
  const directory = configured('');
  for (const [args, input, reason] of [
    [['look', 'orders'], '', '"look" is unknown: peek, publish, replay'],
    [['peek'], '', '"peek" takes the name of one connector'],
    [['peek', 'orders', '--yes'], '', '--yes belongs to replay'],
    [['publish', 'orders', '--input', '-', '--limit', '1'], '', '--limit belongs to peek and replay'],
    [['peek', 'orders', '--limit', '0'], '', '--limit takes a whole number from 1 to 10000'],
    [['publish', 'orders'], '', '--input names a file of messages, or - for standard input'],
    [['publish', 'orders', '--input', '-'], '', '--input has no message'],
    [['publish', 'orders', '--input', '-'], '[1]', 'message 1 of --input is not a JSON object'],
    [['publish', 'orders', '--input', '-'], '{"a": 1}\n{"b"', 'line 2 of --input is not JSON'],
    [['publish', 'orders', '--input', 'missing.json'], '', '--input missing.json cannot be read'],
  ] as const) {
    const { code, stderr } = await queue(directory, args, input);
    expect([code, stderr.split('\n')[0]]).toEqual([2, expect.stringContaining(reason)]);
  }
  expect(await queue(directory, ['peek', 'sink'])).toMatchObject({
    code: 1,
    stderr: 'svc queue: connector "sink" (http) is not a queue: the configuration has no queue\n',
  });
  expect(await queue(directory, ['peek', 'orders'])).toMatchObject({
    code: 1,
    stderr: 'svc queue: there is no connector "orders": the configuration has no queue\n',
  });
});
