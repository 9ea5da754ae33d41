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

  const start = async (accepted: string, written = flow(accepted), types = '') => {
    const service = await startScenario(import.meta.dirname, {
      env: { SINK_URL: sink.address },
      prepare: (directory) => writeFileSync(join(directory, 'orders.hcl'), `${place.connector}\n${written}\n${types}`),
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
    expect([asked.code, ...asked.stdout.split('\n').slice(-3, -1)]).toEqual([
      0,
      '2 of 2 would pass now; no connector was called.',
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

    expect((await peek()).map(({ headers }) => String(headers['x-replay-count']))).toEqual(['1', '1']);
    await start('true');
    await until(() => kept().length === 2);
    expect(kept()).toEqual([{ id: 1 }, { id: '90071992547409931' }]);
  });

  test('S-06: each dead letter is compared with the flow as it is now, and no connector is called; those that pass are sent back, others removed by a condition', async () => {
    const directory = configured(`${place.connector}\n${flow('true')}`);
    await runCommand(['check', '--create-queues', '-c', directory]);
    const publish = ['publish', 'orders', '--input', '-', ...(place.isNamed ? ['--target', place.target] : [])];
    await queue(directory, publish, '{"id": 1}\n{"id": 2}\n{"total": 3}\n');
    const refusing = await start('false');
    const dead = async () => {
      const { stdout } = await queue(directory, ['peek', 'orders', '--dead', '--format', 'json']);
      return (JSON.parse(stdout) as { messages: { body: unknown }[] }).messages.map(({ body }) => body);
    };
    await until(async () => (await dead()).length === 3);
    expect((await refusing.stop()).code).toBe(0);

    const repaired = configured(`${place.connector}\n${flow('input.body.id < 3')}`);
    const compared = await queue(repaired, ['replay', 'orders', '--format', 'json']);
    expect(JSON.parse(compared.stdout)).toMatchObject({
      replayed: [],
      passing: 2,
      dead_letters: [
        { body: { id: 1 }, now: { flow: 'keep', end: 'passes' } },
        { body: { id: 2 }, now: { flow: 'keep', end: 'passes' } },
        { body: { total: 3 }, now: { flow: 'keep', end: expect.stringMatching(/^(?:fails|dropped)$/) } },
      ],
    });
    expect([sink.received.length, await dead()]).toEqual([0, [{ id: 1 }, { id: 2 }, { total: 3 }]]);
    const sent = await queue(repaired, ['replay', 'orders', '--passing', '--yes']);
    expect([sent.stdout.split('\n').at(-2), sent.stderr]).toEqual(['2 messages sent back', '']);
    expect(await dead()).toEqual([{ total: 3 }]);

    const condition = ['--where', 'input.body.total == 3'];
    const asked = await queue(repaired, ['discard', 'orders', ...condition]);
    expect(asked.stdout.split('\n').at(-2)).toBe('Nothing was removed: --yes removes 1 message for good.');
    const other = await queue(repaired, ['discard', 'orders', '--where', 'input.body.total == 4', '--yes']);
    expect([other.stdout, await dead()]).toEqual(['0 messages removed\n', [{ total: 3 }]]);
    const removed = await queue(repaired, ['discard', 'orders', ...condition, '--yes']);
    expect([removed.stdout.split('\n').at(-2), await dead()]).toEqual(['1 message removed', []]);
  });

  test('a dead letter is repaired and another one sent to a place that is named, whatever is before them; figures say what is left', async () => {
    const directory = configured(`${place.connector}\n${flow('true')}`);
    await runCommand(['check', '--create-queues', '-c', directory]);
    const publish = ['publish', 'orders', '--input', '-', ...(place.isNamed ? ['--target', place.target] : [])];
    await queue(directory, publish, '{"id": 1}\n{"id": 2}\n{"total": 3}\n{"id": 4}\n');
    const refusing = await start('false');
    const letters = async () => {
      const { stdout } = await queue(directory, ['peek', 'orders', '--dead', '--format', 'json']);
      return (JSON.parse(stdout) as { messages: { digest: string; body: Record<string, number> }[] }).messages;
    };
    await until(async () => (await letters()).length === 4);
    expect((await refusing.stop()).code).toBe(0);
    const figures = async () => {
      const { stdout, code } = await queue(directory, ['list', '--format', 'json']);
      const { connectors } = JSON.parse(stdout) as {
        connectors: { connector: string; places: { source: string; side: string; ready: number }[] }[];
      };
      const [{ connector, places } = { connector: '', places: [] }] = connectors;
      return [code, connector, ...places.map(({ source, side, ready }) => [source, side, ready])];
    };
    const deadPlace = (await figures())[3]?.[0 as never];
    expect(await figures()).toEqual([0, 'orders', [place.waiting, 'waiting', 0], [deadPlace, 'dead', 4]]);

    const accepting = configured(`${place.connector}\n${flow('input.body.id > 0')}`);
    const broken = (await letters())[2] as { readonly digest: string };
    const repaired = '{"id": 3}';
    const repair = ['replay', 'orders', '--only', broken.digest, '--with', '-'];
    const asked = await queue(accepting, [...repair, '--format', 'json'], repaired);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      replayed: [],
      passing: 1,
      dead_letters: [{ body: { total: 3 }, now: { flow: 'keep', end: 'passes' } }],
    });
    expect((await queue(accepting, [...repair, '--yes'], repaired)).stdout).toMatch(/\n1 message sent back\n$/);
    expect((await letters()).map(({ body }) => body)).toEqual([{ id: 1 }, { id: 2 }, { id: 4 }]);
    const last = (await letters())[2] as { readonly digest: string };
    const moved = await queue(accepting, ['replay', 'orders', '--only', last.digest, '--to', place.target, '--yes']);
    expect([moved.stdout.split('\n').at(-2), moved.stderr]).toEqual([`1 message sent to ${place.target}`, '']);
    expect((await letters()).map(({ body }) => body)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await figures()).toEqual([0, 'orders', [place.waiting, 'waiting', 2], [deadPlace, 'dead', 2]]);
    const { stdout } = await queue(directory, ['peek', 'orders', '--format', 'json']);
    const { messages } = JSON.parse(stdout) as { messages: { body: unknown; headers: Record<string, unknown> }[] };
    expect(messages.map(({ body, headers }) => [body, String(headers['x-replay-count'])])).toEqual([
      [{ id: 3 }, '1'],
      [{ id: 4 }, '1'],
    ]);
    const nowhere = await queue(accepting, ['replay', 'orders', '--to', 'svc-test-missing', '--yes']);
    expect([nowhere.code, nowhere.stdout, (await letters()).length]).toEqual([1, '', 2]);
    expect(nowhere.stderr).toMatch(/svc-test-missing/);
    await start('input.body.id > 0');
    await until(() => kept().length === 2);
    expect(kept()).toEqual([{ id: 3 }, { id: 4 }]);
  });

  test('a test message is made from the type of the flow, and refused by name where flows name no type', async () => {
    const typed = flow('true').replace('  accept {', '  validate {\n    input = "order"\n  }\n  accept {');
    const types =
      'type "order" {\n  body = "content"\n}\ntype "content" {\n  id    = integer({ min = 7 })\n  buyer = "person"\n}\ntype "person" {\n  name = string\n}';
    const directory = configured(`${place.connector}\n${typed}\n${types}`);
    await runCommand(['check', '--create-queues', '-c', directory]);
    const target = place.isNamed ? ['--target', place.target] : [];
    const shown = await queue(directory, ['publish', 'orders', '--sample', '--dry-run', '--format', 'json', ...target]);
    expect(JSON.parse(shown.stdout)).toEqual({
      connector: 'orders',
      target: place.target,
      sent: 0,
      messages: [{ id: 7, buyer: { name: 'name' } }],
    });
    const sent = await queue(directory, ['publish', 'orders', '--sample', ...target]);
    expect(sent).toEqual({ code: 0, stdout: `1 message sent to ${place.target}\n`, stderr: '' });
    const { stdout } = await queue(directory, ['peek', 'orders', '--format', 'json']);
    const { messages } = JSON.parse(stdout) as { messages: { body: unknown }[] };
    expect(messages.map(({ body }) => body)).toEqual([{ id: 7, buyer: { name: 'name' } }]);
    // It passes the checks of the flow, once there is one.
    await start('true', typed, types);
    await until(() => kept().length === 1);
    expect(kept()).toEqual([{ id: 7, buyer: { name: 'name' } }]);
    const flat = configured(`${place.connector}\n${typed}\ntype "order" {\n  id = integer\n}`);
    expect((await queue(flat, ['publish', 'orders', '--sample'])).stderr).toContain(
      'type "order" has no field "body" that is an object',
    );
    const untyped = configured(`${place.connector}\n${flow('true')}`);
    const refused = await queue(untyped, ['publish', 'orders', '--sample']);
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      '',
      expect.stringContaining('the flows of connector "orders" name no type to make a sample of'),
    ]);
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

/** What a configuration calls the connectors of pushed sources, by what programs call them. */
const kinds: Readonly<Record<string, string>> = {
  mqtt: 'mqtt',
  kv_pubsub: 'mq redis',
  nats: 'mq nats',
  cdc: 'cdc postgres',
  mongodb: 'database mongodb',
  websocket: 'websocket server',
  file: 'file local',
};

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
    const isQueue = !['changes of mongodb', 'files of a folder', 'websocket'].includes(name);
    expect((await queue(directory, ['list'])).stdout).toBe(
      isQueue
        ? `orders (${kinds[place.type]}): it takes none, or its broker keeps none for it\n`
        : 'The configuration has no queue.\n',
    );
    for (const word of ['peek', 'replay', 'discard']) {
      const { code, stdout, stderr } = await queue(directory, [word, 'orders']);
      const doing = { peek: 'looked at', replay: 'sent back', discard: 'removed' }[word];
      const reason = isQueue
        ? `messages of connector "orders" (${kinds[place.type]}) cannot be ${doing}: it takes none, or its broker keeps none for it`
        : `connector "orders" (${kinds[place.type]}) is not a queue: the configuration has no queue`;
      expect([code, stdout, stderr]).toEqual([1, '', `svc queue: ${reason}\n`]);
    }
    const sent = await queue(directory, ['publish', 'orders', '--input', '-'], '[{"n": 1}, {"n": 2}, {"n": 3}]');
    const refused = isQueue
      ? 'connector "orders" (cdc postgres) sends no messages'
      : `connector "orders" (${kinds[place.type]}) is not a queue: the configuration has no queue`;
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
    [['look', 'orders'], '', '"look" is unknown: list, peek, publish, replay, discard'],
    [['peek'], '', '"peek" takes the name of one connector'],
    [['peek', 'orders', '--yes'], '', '--yes belongs to replay, discard'],
    [['publish', 'orders', '--input', '-', '--limit', '1'], '', '--limit belongs to peek, replay, discard'],
    [['peek', 'orders', '--with', 'a'], '', '--with belongs to replay'],
    [['replay', 'orders', '--with', '-'], '{}', '--with changes one dead letter: name it by its digest with --only'],
    [['replay', 'orders', '--with', '-', '--only', 'a,b'], '{}', '--with changes one dead letter'],
    [['list', 'orders', '--dead'], '', '--dead belongs to peek'],
    [['publish', 'orders', '--input', '-', '--yes'], '', '--yes belongs to replay, discard'],
    [['peek', 'orders', '--passing'], '', '--passing belongs to replay'],
    [['peek', 'orders', '--where', 'input.'], '', '--where is not a condition: '],
    [['peek', 'orders', '--limit', '0'], '', '--limit takes a whole number from 1 to 10000'],
    [['publish', 'orders'], '', '--input names a file of messages, or - for standard input'],
    [['publish', 'orders', '--input', '-', '--sample'], '', '--sample makes the message: leave --input out'],
    [['peek', 'orders', '--sample'], '', '--sample belongs to publish'],
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
    stderr: 'svc queue: connector "sink" (http client) is not a queue: the configuration has no queue\n',
  });
  expect(await queue(directory, ['peek', 'orders'])).toMatchObject({
    code: 1,
    stderr: 'svc queue: there is no connector "orders": the configuration has no queue\n',
  });
});
