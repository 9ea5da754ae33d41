import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { Inbox, Looks, reply } from '../testing/inbox.ts';

let inbox: Inbox;
beforeEach(() => {
  inbox = new Inbox();
});
afterEach(() => inbox.close());

const inAndOut = { done: 'done', failed: 'failed' };

test('a connector takes files where watch is written and enabled', async () => {
  inbox.put('a.json', '{"n":1}');
  const { paths } = await inbox.open({ watch: { ...inAndOut, enabled: true } });
  await until(() => paths().length === 1);
  for (const watch of [undefined, { ...inAndOut, enabled: false }])
    await expect(inbox.open({ watch })).rejects.toThrow(TypeError);
});

describe('done and failed', () => {
  test('are the folders that files are moved to, with the folders that they were in', async () => {
    for (const path of ['good.json', 'in/good.json', 'bad.json', 'in/bad.json']) inbox.put(path, '{"n":1}');
    const { events, taken } = await inbox.open({ watch: { done: 'out/done', failed: 'failed/' } }, ({ _name }) => {
      if (_name === 'bad.json') throw new Failure('constraint_violated', 'no');
      return reply;
    });
    await until(() => taken.length === 4 && events.unsettled === 0);
    await until(() => inbox.names().every((path) => /^(out|failed)\//.test(path)));
    expect(inbox.names()).toEqual([
      'failed/bad.json',
      'failed/in/bad.json',
      'out/done/good.json',
      'out/done/in/good.json',
    ]);
  });

  test('without them a file that is there at the start is passed over, and each change is a message once', async () => {
    inbox.put('old.json', '{"n":1}');
    const { taken, events } = await inbox.open({ watch: {} }, () => {
      throw new Failure('connector_refused', 'away');
    });
    inbox.put('new.json', '{"n":2}');
    await until(() => taken.length === 1 && events.unsettled === 0);
    inbox.put('old.json', '{"n":30}');
    await until(() => taken.length === 2 && events.unsettled === 0);
    expect(taken.map(({ _path, _event, n }) => [_path, _event, n])).toEqual([
      ['new.json', 'created', 2],
      ['old.json', 'modified', 30],
    ]);
    expect(inbox.names()).toEqual(['new.json', 'old.json']);
  });
});

test.each([0, 2])('retry_count is how often a file is tried after its first try: %i', async (retries) => {
  // Pauses between tries are of seconds: the clock says that they are over.
  const sleep: typeof systemClock.sleep = (milliseconds, signal) =>
    systemClock.sleep(Math.min(milliseconds, 20), signal);
  let elapsed = 0;
  const clock = { ...systemClock, now: () => systemClock.now(), elapsed: () => (elapsed += 1000), sleep };
  inbox.put('a.json', '{"n":1}');
  const { taken, events } = await inbox.open(
    { watch: { ...inAndOut, retry_count: retries } },
    () => {
      throw new Failure('connector_refused', 'away');
    },
    { clock },
  );
  await until(() => inbox.names()[0] === 'failed/a.json' && events.unsettled === 0);
  expect(taken).toHaveLength(1 + retries);
});

test.each([1, 3])('workers is how many files are handled at the same time: %i', async (workers) => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) inbox.put(`${name}.json`, '{"n":1}');
  let running = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const { taken, events } = await inbox.open({ watch: { ...inAndOut, workers } }, async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => waiting.push(resolve));
    running--;
    return reply;
  });
  while (taken.length < 5 || events.unsettled > 0) {
    await until(() => waiting.length === Math.min(workers, 5 - taken.length + waiting.length) || taken.length === 5);
    for (const go of waiting.splice(0)) go();
    await until(() => waiting.length > 0 || (taken.length === 5 && events.unsettled === 0));
  }
  expect(most).toBe(workers);
});

test.each([
  [true, ['a.json', 'in/b.json']],
  [false, ['a.json']],
])('recursive says whether files in folders are taken: %s', async (recursive, expected) => {
  inbox.put('in/b.json', '{"n":1}');
  inbox.put('a.json', '{"n":1}');
  const { paths, events } = await inbox.open({ watch: { ...inAndOut, recursive } });
  await until(() => paths().length === expected.length && events.unsettled === 0);
  inbox.put('z.json', '{"n":1}');
  await until(() => paths().includes('z.json') && events.unsettled === 0);
  expect(paths().toSorted()).toEqual([...expected, 'z.json']);
});

test('watch_interval is the time between two looks, for which a file has to be as it is', async () => {
  const looks = new Looks();
  inbox.put('a.json', '{"n":1}');
  const { taken, events } = await inbox.open({ watch_interval: 5000 }, undefined, looks);
  await looks.next(4999);
  expect(taken).toHaveLength(0);
  await looks.next(1);
  await until(() => taken.length === 1 && events.unsettled === 0);
  expect(looks.pauses.slice(0, 3)).toEqual([5000, 1, 5000]);
});
