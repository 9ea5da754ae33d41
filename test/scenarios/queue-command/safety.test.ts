import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { brokerUrl } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { runLetters } from '../../chaos/letters.ts';
import { freePort } from '../../support/free-port.ts';
import { program, runCommand } from '../../support/service.ts';
import { copyConfiguration } from '../scenario.ts';
import { type KeptPlace, keptSources } from './places.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function configured(connector: string): string {
  const directory = copyConfiguration(import.meta.dirname);
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(
    join(directory, 'orders.hcl'),
    `${connector}\nflow "keep" {\n  from {\n    connector = "orders"\n  }\n  accept {\n    when = "input.body.n >= 0"\n  }\n}\n`,
  );
  return directory;
}

/** Letters that are sent back one after another, so many that the sending can be seen. */
const many = 300;
const numbered = Array.from({ length: many }, (_, n) => JSON.stringify({ n }));
const all = Array.from({ length: many }, (_, n) => n);

describe.each(keptSources)('dead letters at $name', ({ name, isHere, place: makePlace }) => {
  let place: KeptPlace;
  let directory: string;
  beforeEach(async ({ skip }) => {
    skip(!isHere, 'no server of it');
    place = await makePlace();
    cleanups.push(() => place.close());
    directory = configured(place.connector);
    await runCommand(['check', '--create-queues', '-c', directory]);
  });

  const queue = (...args: readonly string[]) => runCommand(['queue', ...args, '-c', directory]);
  const replay = (...args: readonly string[]) => queue('replay', 'orders', '--yes', '--limit', '1000', ...args);
  /** What waits now, in order of its numbers, and how often each was sent back. */
  const waiting = async () => {
    const { stdout } = await queue('peek', 'orders', '--limit', '1000', '--format', 'json');
    const { messages } = JSON.parse(stdout) as {
      messages: { body: { n: number }; headers: Record<string, unknown> }[];
    };
    const found = messages.map(({ body, headers }) => ({ n: body.n, marked: String(headers['x-replay-count']) }));
    return {
      numbers: found.map(({ n }) => n).sort((a, b) => a - b),
      marks: new Set(found.map(({ marked }) => marked)),
    };
  };
  const left = async () => (await queue('replay', 'orders', '--limit', '1000')).stdout;

  test('nothing is lost by a replay that is killed: at most the one in hand is sent twice, and every one is marked', async () => {
    await place.bury(numbered);
    const args = [program, 'queue', 'replay', 'orders', '--yes', '--limit', '1000', '-c', directory];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let sent = '';
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    child.stdout.on('data', (piece: Buffer) => {
      sent += piece.toString();
      if (sent.split('\n').length > 40) child.kill('SIGKILL');
    });
    expect(await ended).toBe('SIGKILL');
    await expect
      .poll(async () => ((await replay()).code === 0 ? await left() : ''), { timeout: 60_000 })
      .toBe('No dead letters.\n');
    const { numbers, marks } = await waiting();
    expect([[...new Set(numbers)], [...marks]]).toEqual([all, ['1']]);
    expect(numbers.length - many).toBeLessThanOrEqual(1);
  });

  test('of two replays at once each sends what the other has left', async () => {
    await place.bury(numbered);
    const both = await Promise.all([replay(), replay()]);
    // Of a log one of them stops, and says that the other has begun.
    const refused = both.filter(({ code }) => code !== 0);
    for (const { stderr } of refused) expect(stderr).toMatch(/^svc queue: another client /);
    expect(refused.length).toBeLessThanOrEqual(name === 'partitioned_log' ? 1 : 0);
    await replay();
    expect(await left()).toBe('No dead letters.\n');
    const { numbers, marks } = await waiting();
    expect([[...new Set(numbers)], [...marks]]).toEqual([all, ['1']]);
    // Of a log the one that stops may have had one in hand.
    expect(numbers.length - many).toBeLessThanOrEqual(name === 'partitioned_log' ? 1 : 0);
  });

  test('a letter of 10 MB is shown, compared and sent back where the broker takes it', async ({ skip }) => {
    skip(name === 'nats with a stream', 'its server takes messages of 1 MB');
    const text = JSON.stringify({ n: 1, filling: 'x'.repeat(10_000_000) });
    await place.bury([text]);
    const shown = await queue('peek', 'orders', '--dead');
    expect(shown.stdout).toContain(`… (${text.length} characters)`);
    expect(await left()).toContain('now fails in keep: body.filling is longer than 65536 bytes');
    expect((await replay()).stdout).toMatch(/\n1 message sent back\n$/);
    const { stdout } = await queue('peek', 'orders', '--format', 'json');
    expect((JSON.parse(stdout) as { messages: { body: unknown }[] }).messages[0]?.body).toEqual(JSON.parse(text));
  });
});

// "npm run chaos -- letters" runs the same at full scale.
test.skipIf(brokerUrl === undefined)('2,000 letters are sent back, 1,000 in one call, in a small memory', async () => {
  expect(await runLetters({ letters: 2_000, each: 1_000 })).toEqual({
    calls: [1, 2].map(() => [0, '', '1000 messages sent back']),
    left: [1_000, 0],
  });
});

test('a broker that is unavailable is named with its address by every word, and hides no other queue', async () => {
  const port = await freePort();
  const broker = (name: string) =>
    `connector "${name}" {\n  type   = "mq"\n  driver = "rabbitmq"\n  url    = "amqp://127.0.0.1:${port}"\n  consumer {\n    queue = "q"\n  }\n}\n`;
  const directory = configured(`${broker('orders')}${broker('others')}`);
  for (const word of ['peek', 'replay', 'discard'] as const) {
    const { code, stdout, stderr } = await runCommand(['queue', word, 'orders', '-c', directory]);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`127.0.0.1:${port}`)]);
  }
  const { code, stdout } = await runCommand(['queue', 'list', '-c', directory]);
  expect([code, stdout.split('\n').map((line) => line.replace(/: .*/, ''))]).toEqual([
    1,
    ['orders (mq rabbitmq)', 'others (mq rabbitmq)', ''],
  ]);
  expect(stdout).toContain(`127.0.0.1:${port}`);
});
