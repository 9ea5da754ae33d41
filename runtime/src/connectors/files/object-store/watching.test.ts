import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import type { EventConnector } from '../../intake/testing/conformance.ts';
import { reply } from '../testing/inbox.ts';
import { connectorOf } from './testing/bed.ts';
import { KeptObjects } from './testing/kept-objects.ts';
import { writtenFor } from './testing/opened.ts';
import { StandIn } from './testing/stand-in.ts';

let server: StandIn;
let objects: KeptObjects;
const open: EventConnector[] = [];
beforeEach(async () => {
  server = await StandIn.start();
  objects = new KeptObjects(7);
  server.answer = objects.answer;
});
afterEach(async () => {
  for (const connector of open.splice(0)) await connector.close(AbortSignal.abort());
  await server.close();
});

/** A connector of a process that moves what it handled; `taken` has the paths. */
async function watching(taken: unknown[]) {
  const written = { ...writtenFor(server), prefix: 'in/', watch_interval: 10 };
  const watch = { done: 'done', failed: 'failed', workers: 4 };
  const connector = connectorOf({ ...written, watch }, connectorServices()) as EventConnector;
  open.push(connector);
  const binding: Binding = {
    flow: 'f',
    operation: undefined,
    words: {},
    deliver: ({ input }) => {
      taken.push(input['_path']);
      return reply;
    },
  };
  const use = async () => {
    const flows = connector.source.bind([{ ...binding }]);
    await flows.prepare();
    flows.use();
    return flows;
  };
  const flows = await use();
  await connector.open(new AbortController().signal);
  await connector.source.start();
  return { connector, use, flows };
}

const isDone = () => objects.keys().every((key) => key.startsWith('in/done/'));

test('A-08: two processes that watch one bucket handle every object, and leave it under done', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `${String(at).padStart(2, '0')}.txt`);
  for (const name of names) objects.put(`in/${name}`, name);
  const taken: unknown[] = [];
  const two = await Promise.all([watching(taken), watching(taken)]);
  await until(() => isDone() && two.every(({ connector }) => connector.source.events.unsettled === 0));
  expect(new Set(taken)).toEqual(new Set(names));
  // A move is a copy and a delete: two that move one object at once may leave it under two names.
  const kept = objects.keys().map((key) => key.replace(/-2\.txt$/, '.txt'));
  expect(new Set(kept)).toEqual(new Set(names.map((name) => `in/done/${name}`)));
});

test('A-02: keys that differ in / and . alone are messages of their own, and moved one by one', async () => {
  const names = ['a.txt', '/a.txt', './a.txt', 'b//a.txt', 'b/a.txt', 'b/./a.txt', 'b/', 'done', 'a+b%20.txt'];
  for (const name of names) objects.put(`in/${name}`, name);
  objects.put('in/../out.txt', 'beside');
  const taken: unknown[] = [];
  const { connector } = await watching(taken);
  await until(() => taken.length >= names.length && connector.source.events.unsettled === 0);
  await until(() => objects.keys().every((key) => key === 'in/../out.txt' || key.startsWith('in/done/')));
  expect(taken.sort()).toEqual([...names].sort());
  expect(objects.keys()).toEqual(['in/../out.txt', ...names.map((name) => `in/done/${name}`)].sort());
});

test('R-17: fifty reloads of a watched bucket: every object is handled once, and nothing grows', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const taken: unknown[] = [];
  const { connector, use, flows } = await watching(taken);
  let earlier = flows;
  const used: number[] = [];
  for (let round = 0; round < 50; round++) {
    objects.put(`in/${round}.txt`, 'x'.repeat(1000));
    const next = await use();
    await earlier.ended();
    earlier = next;
    await until(() => taken.length > round && isDone() && connector.source.events.unsettled === 0);
    for (const key of objects.keys())
      objects.answer({ method: 'DELETE', url: `/box/${key}`, headers: {}, body: Buffer.alloc(0) } as never);
    server.seen.length = 0;
    collect();
    used.push(process.memoryUsage().heapUsed);
  }
  expect(taken).toEqual(Array.from({ length: 50 }, (_, round) => `${round}.txt`));
  const [begin = 0, end = 0] = [Math.min(...used.slice(5, 15)), Math.min(...used.slice(-10))];
  expect(end - begin).toBeLessThan(1024 * 1024);
});
