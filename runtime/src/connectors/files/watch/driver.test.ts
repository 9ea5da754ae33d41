import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Handle, Inbox, Looks, reply } from '../testing/inbox.ts';

let inbox: Inbox;
beforeEach(() => {
  inbox = new Inbox();
});
afterEach(() => inbox.close());

const interval = 5000;
const changes = { watch: {} };

/** A flow that ends when it is asked to. */
function held() {
  const waiting: (() => void)[] = [];
  const handle: Handle = (_input, message) =>
    new Promise<Outcome>((resolve, reject) => {
      waiting.push(() => resolve(reply));
      const signal = message.signal();
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  return { handle, waiting };
}

/** An inbox that is looked at when the test says so. */
async function watched(written: Readonly<Record<string, unknown>> = {}, handle?: Handle, operation?: string) {
  const looks = new Looks();
  const opening = await inbox.open({ watch_interval: interval, ...written }, handle, looks, operation);
  return { ...opening, look: () => looks.next(interval) };
}

describe('a file that is being written', () => {
  test('is taken whole when it has come to rest: appended to with pauses, or emptied and written again', async () => {
    writeFileSync(inbox.at('a.csv'), 'id\n1\n');
    writeFileSync(inbox.at('b.csv'), 'id\n7\n8\n');
    const { look, taken, events } = await watched();
    appendFileSync(inbox.at('a.csv'), '2\n');
    truncateSync(inbox.at('b.csv'));
    await look();
    appendFileSync(inbox.at('a.csv'), '3\n');
    writeFileSync(inbox.at('b.csv'), 'id\n7\n9\n');
    await look();
    expect(taken).toEqual([]);
    await look();
    await until(() => taken.length === 2 && events.unsettled === 0);
    expect(taken.map(({ _path, rows }) => [_path, rows])).toEqual([
      ['a.csv', [{ id: '1' }, { id: '2' }, { id: '3' }]],
      ['b.csv', [{ id: '7' }, { id: '9' }]],
    ]);
    expect(inbox.names()).toEqual(['done/a.csv', 'done/b.csv']);
  });

  test.each([
    ['an inbox', {}, true],
    ['changes', changes, false],
  ])('while it waits for its turn is not read half: %s', async (_mode, written, isInbox) => {
    const { handle, waiting } = held();
    const { look, taken, paths, events } = await watched(written, handle);
    inbox.put('a.json', '{"n":1}');
    inbox.put('b.json', '{"n":1}');
    await look();
    await look();
    await until(() => waiting.length === 1 && events.unsettled === 2);
    inbox.put('b.json', '{"n":22}');
    waiting.shift()?.();
    await until(() => events.unsettled === 0);
    expect(paths()).toEqual(['a.json']);
    await look();
    await look();
    await until(() => waiting.length === 1);
    expect(taken[1]).toMatchObject({ _path: 'b.json', n: 22, _event: isInbox ? 'created' : 'modified', _size: 8n });
    waiting.shift()?.();
    await until(() => events.unsettled === 0);
    expect(inbox.names()).toEqual(isInbox ? ['done/a.json', 'done/b.json'] : ['a.json', 'b.json']);
  });

  test('while its flow runs is not moved, and is taken again', async () => {
    const { handle, waiting } = held();
    const { look, taken, events } = await watched({}, handle);
    inbox.put('a.json', '{"n":1}');
    await look();
    await look();
    await until(() => waiting.length === 1);
    inbox.put('a.json', '{"n":22}');
    waiting.shift()?.();
    await until(() => events.unsettled === 0);
    expect(inbox.names()).toEqual(['a.json']);
    await look();
    await look();
    await until(() => waiting.length === 1);
    waiting.shift()?.();
    await until(() => events.unsettled === 0);
    expect(taken.map(({ n, _event }) => [n, _event])).toEqual([
      [1, 'created'],
      [22, 'modified'],
    ]);
    expect(inbox.textOf('done/a.json')).toBe('{"n":22}');
  });
});

describe('a file that was handled', () => {
  test('leaves one of its name that is there; of two that are moved at once none is lost', async () => {
    for (const path of ['done/a.json', 'a.json', 'a-2.json', 'done/none', 'none']) inbox.put(path, `"${path}"`);
    const { taken, events } = await inbox.open({ watch: { done: 'done', failed: 'failed', workers: 8 } });
    await until(() => taken.length === 3 && events.unsettled === 0);
    const texts = inbox.names().map((path) => [path, inbox.textOf(path)]);
    expect(texts.map(([, text]) => text).toSorted()).toEqual(
      ['"a-2.json"', '"a.json"', '"done/a.json"', '"done/none"', '"none"'].toSorted(),
    );
    expect(Object.fromEntries(texts)).toMatchObject({
      'done/a.json': '"done/a.json"',
      'done/none': '"done/none"',
      'done/none-2': '"none"',
    });
  });

  test('whose folder is on another file system is moved there', async ({ skip }) => {
    mkdirSync(inbox.at('done'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'svc-test', inbox.at('done')], { stdio: 'ignore' });
    } catch {
      skip('no file system can be mounted here');
    }
    try {
      inbox.put('in/a.json', '{"n":1}');
      const { taken, events } = await inbox.open();
      await until(() => taken.length === 1 && events.unsettled === 0);
      expect([inbox.names(), inbox.textOf('done/in/a.json')]).toEqual([['done/in/a.json'], '{"n":1}']);
    } finally {
      execFileSync('umount', [inbox.at('done')]);
    }
  });

  test('and cannot be moved is not taken again, and is moved when that can be done', async () => {
    writeFileSync(inbox.at('done'), 'not a folder');
    inbox.put('a.json', '{"n":1}');
    const { look, taken, events } = await watched();
    await look();
    await until(() => taken.length === 1 && events.unsettled === 0);
    await look();
    expect(inbox.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'a file that was handled is not moved yet' }),
    );
    rmSync(inbox.at('done'));
    await look();
    expect([inbox.names(), taken.length]).toEqual([['done/a.json'], 1]);
  });
});

describe('a file that cannot be handled', () => {
  test('R-75, A-03: is given up and keeps its bytes, and those behind it are handled', async () => {
    for (const name of ['1-bad', '2-bad', '3-bad']) inbox.put(`${name}.json`, '{"broken"');
    for (const name of ['4-good', '5-good']) inbox.put(`${name}.json`, '{"n":1}');
    const { taken, events } = await inbox.open({}, ({ _error }) => {
      if (_error !== undefined) throw new Failure('value_refused', String(_error));
      return reply;
    });
    await until(() => taken.length === 5 && events.unsettled === 0);
    expect(inbox.names()).toEqual([
      'done/4-good.json',
      'done/5-good.json',
      'failed/1-bad.json',
      'failed/2-bad.json',
      'failed/3-bad.json',
    ]);
    expect(inbox.textOf('failed/1-bad.json')).toBe('{"broken"');
    expect(taken[0]).toMatchObject({ _path: '1-bad.json', _error: expect.any(String), _size: 9n });
  });

  test('R-72: while everything fails is tried again after pauses, and nothing is lost', async () => {
    const names = Array.from({ length: 150 }, (_, at) => `${String(at).padStart(3, '0')}.json`);
    for (const name of names) inbox.put(name, '{"n":1}');
    let fails = true;
    const { look, paths, events } = await watched(
      { watch: { done: 'done', failed: 'failed', retry_count: 1000 } },
      () => {
        if (fails) throw new Failure('connector_refused', 'away');
        return reply;
      },
    );
    await look();
    await until(() => new Set(paths()).size >= 100);
    for (let count = 0; count < 5; count++) await look();
    expect(inbox.names()).toEqual(names);
    fails = false;
    await until(async () => {
      await look();
      return inbox.names().every((path) => path.startsWith('done/'));
    });
    await until(() => events.unsettled === 0);
    expect(inbox.names()).toHaveLength(150);
  });

  test('because another program has taken it away is not a message, and moves nothing', async () => {
    const { handle, waiting } = held();
    const { look, paths, events } = await watched({}, handle);
    inbox.put('a.json', '{"n":1}');
    inbox.put('b.json', '{"n":1}');
    await look();
    await look();
    await until(() => waiting.length === 1 && events.unsettled === 2);
    rmSync(inbox.at('b.json'));
    waiting.shift()?.();
    await until(() => events.unsettled === 0);
    expect([paths(), inbox.names()]).toEqual([['a.json'], ['done/a.json']]);
  });
});

test('a file that no flow takes stays where it is, and is taken when one does', async () => {
  for (const path of ['a.csv', 'b.json', 'in/c.json']) inbox.put(path, path.endsWith('csv') ? 'n\n1\n' : '{"n":1}');
  const { connector, bind, paths, events } = await inbox.open({}, undefined, {}, '*.csv');
  await until(() => paths().length === 1 && events.unsettled === 0);
  expect(inbox.names()).toEqual(['b.json', 'done/a.csv', 'in/c.json']);
  const flows = bind('in/*.json');
  await flows.prepare();
  flows.use();
  await until(() => paths().length === 2 && events.unsettled === 0);
  expect(inbox.names()).toEqual(['b.json', 'done/a.csv', 'done/in/c.json']);
  expect(inbox.lines.filter(({ level }) => level === 'error')).toEqual([]);
  await connector.check?.(new AbortController().signal);
});

test('a folder that is removed is reported once, and looked at again when it is made', async () => {
  const { look, paths, connector, events } = await watched();
  rmSync(inbox.folder, { recursive: true });
  await look();
  await look();
  expect(inbox.lines.filter(({ message }) => message === 'files cannot be looked at')).toHaveLength(1);
  await expect(connector.check?.(new AbortController().signal)).rejects.toMatchObject({ code: 'connector_refused' });
  mkdirSync(inbox.folder);
  inbox.put('a.json', '{"n":1}');
  await look();
  await look();
  await until(() => paths().length === 1 && events.unsettled === 0);
  expect(await connector.check?.(new AbortController().signal)).toBeUndefined();
  expect(inbox.lines.filter(({ message }) => message === 'files can be looked at again')).toHaveLength(1);
});

test('A-09: order is by the time of the last change, also of one in the future; a clock that is set back delays nothing', async () => {
  for (const [path, year] of [
    ['a.json', 2300],
    ['b.json', 1971],
    ['c.json', 2020],
  ] as const) {
    inbox.put(path, '{"n":1}');
    utimesSync(inbox.at(path), new Date(Date.UTC(year, 0)), new Date(Date.UTC(year, 0)));
  }
  const looks = new Looks();
  let now = Date.UTC(2026, 0);
  const clock = { ...looks.clock, now: () => (now -= 3_600_000) };
  const { paths, taken, events } = await inbox.open({ watch_interval: interval }, undefined, { clock });
  await looks.next(interval);
  await until(() => paths().length === 3 && events.unsettled === 0);
  expect(paths()).toEqual(['b.json', 'c.json', 'a.json']);
  expect(taken[2]?.['_mod_time']).toBe('2300-01-01T00:00:00.000Z');
});

test('A-08: two that watch one folder lose nothing, and move every file once', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `${at}.json`);
  for (const name of names) inbox.put(name, `"${name}"`);
  const watch = { done: 'done', failed: 'failed', workers: 4 };
  const two = await Promise.all([inbox.open({ watch }), inbox.open({ watch })]);
  await until(
    () => inbox.names().every((path) => path.includes('/')) && two.every(({ events }) => events.unsettled === 0),
  );
  expect(inbox.names()).toEqual(names.map((name) => `done/${name}`).toSorted());
  expect(new Set(two.flatMap(({ paths }) => paths())).size).toBe(60);
});

test('the message says of a file what is known, whatever columns are called', async () => {
  inbox.put('in/a.csv', '_path,_size,_event,name\n../x,-1,none,b\n');
  inbox.put('in/empty.csv', '');
  inbox.put('in/none.json', '[]');
  const { taken, events } = await inbox.open();
  await until(() => taken.length === 3 && events.unsettled === 0);
  const known = { _mod_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), _event: 'created' };
  const byName = taken
    .toSorted((a, b) => (String(a['_path']) < String(b['_path']) ? -1 : 1))
    .map((each) => ({ ...each }));
  expect(byName).toEqual([
    { ...known, _path: 'in/a.csv', _name: 'a.csv', _size: 39n, name: 'b' },
    { ...known, _path: 'in/empty.csv', _name: 'empty.csv', _size: 0n, rows: [] },
    { ...known, _path: 'in/none.json', _name: 'none.json', _size: 2n, rows: [] },
  ]);
});
