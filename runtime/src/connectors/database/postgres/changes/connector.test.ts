import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { Binding } from '../../../../foundation/contracts/source.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { EventConnector } from '../../../intake/testing/conformance.ts';
import { ChangeBed } from './testing/bed.ts';
import { type Cluster, hasCluster, startCluster } from './testing/cluster.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };
type Input = Record<string, unknown>;

describe.skipIf(!hasCluster)('changes of tables', () => {
  let cluster: Cluster;
  let bed: ChangeBed;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    bed = await ChangeBed.make(cluster);
  });
  afterEach(() => bed.close());

  const rows = (text: string, values?: readonly unknown[]) => bed.database.rows(text, values);

  async function open(
    deliver: (message: Message) => Outcome | Promise<Outcome>,
    written: Readonly<Record<string, unknown>> = {},
    operations: readonly string[] = ['*'],
  ): Promise<EventConnector> {
    const connector = bed.connector({ tables: undefined, ...written });
    const bindings = operations.map((operation): Binding => ({ flow: operation, operation, words: {}, deliver }));
    const flows = connector.source.bind(bindings);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    return connector;
  }

  const keeping = (taken: Input[]) => (message: Message) => {
    taken.push(message.input);
    return reply;
  };

  const common = { schema: 'public', id: expect.any(String), timestamp: expect.stringMatching(/^20.*T.*Z$/) };

  test('a flow gets what happened to which row, and what the server sends of the row before', async () => {
    await rows('CREATE TABLE "Orders" (id int PRIMARY KEY, total numeric(20,4), note text)');
    const taken: Input[] = [];
    await open(keeping(taken));
    await rows(`INSERT INTO "Orders" VALUES (1, 12345678901234.5600, NULL)`);
    await rows(`UPDATE "Orders" SET note = 'x' WHERE id = 1`);
    await rows(`UPDATE "Orders" SET id = 2 WHERE id = 1`);
    await rows(`ALTER TABLE "Orders" REPLICA IDENTITY FULL`);
    await rows(`UPDATE "Orders" SET note = 'y'`);
    await rows(`DELETE FROM "Orders"`);
    await until(() => taken.length === 5);
    const place = { ...common, table: 'orders' };
    const row = (id: bigint, note: string | null) => ({ id, total: '12345678901234.5600', note });
    expect(taken).toEqual([
      { ...place, trigger: 'INSERT', new: row(1n, null) },
      { ...place, trigger: 'UPDATE', new: row(1n, 'x') },
      { ...place, trigger: 'UPDATE', new: row(2n, 'x'), old: { id: 1n } },
      { ...place, trigger: 'UPDATE', new: row(2n, 'y'), old: row(2n, 'x') },
      { ...place, trigger: 'DELETE', old: row(2n, 'y') },
    ]);
  });

  test('R-46: a large value that did not change is absent and named, never null; with the whole row as identity it is there', async () => {
    await rows('CREATE TABLE documents (id int PRIMARY KEY, body text, seen int)');
    await rows('ALTER TABLE documents ALTER body SET STORAGE EXTERNAL');
    const taken: Input[] = [];
    await open(keeping(taken));
    const large = 'a'.repeat(100_000);
    await rows('INSERT INTO documents VALUES (1, $1, 0)', [large]);
    await rows('UPDATE documents SET seen = 1');
    await rows('ALTER TABLE documents REPLICA IDENTITY FULL');
    await rows('UPDATE documents SET seen = 2');
    await until(() => taken.length === 3);
    expect(taken.map((input) => [input['new'], input['unchanged']])).toEqual([
      [{ id: 1n, body: large, seen: 0n }, undefined],
      [{ id: 1n, seen: 1n }, ['body']],
      [{ id: 1n, body: large, seen: 2n }, undefined],
    ]);
  });

  test('values are those that the same columns have when they are queried', async () => {
    await rows(`CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN positive AS int CHECK (value > 0);
      CREATE DOMAIN more AS positive; CREATE TABLE odd (id bigint PRIMARY KEY, n numeric, d date, t timestamptz, j jsonb,
      a int[], s text[], b bytea, m mood, p more, f float8, u uuid, k boolean, c mood[])`);
    const taken: Input[] = [];
    await open(keeping(taken));
    await rows(`INSERT INTO odd VALUES (9007199254740993, 0.10, '2026-02-28', '2026-02-28 12:00:00.25+02',
      '{"big": 9007199254740993}', '{1,NULL}', '{"a,b"}', '\\x00ff', 'ok', 7, 0.1,
      'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', true, '{sad,ok}')`);
    await until(() => taken.length === 1);
    expect(taken[0]?.['new']).toEqual({
      id: 9007199254740993n,
      n: '0.10',
      d: '2026-02-28',
      t: '2026-02-28T10:00:00.25Z',
      j: { big: 9007199254740993n },
      a: [1n, null],
      s: ['a,b'],
      b: 'AP8=',
      m: 'ok',
      p: 7n,
      f: 0.1,
      u: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
      k: true,
      c: ['sad', 'ok'],
    });
  });

  test('the operation that says most takes a change; tables of the publication that no flow takes are passed over', async () => {
    await rows(
      'CREATE SCHEMA sales; CREATE TABLE sales.messages (id int PRIMARY KEY); CREATE TABLE other (id int PRIMARY KEY)',
    );
    const taken: unknown[] = [];
    const connector = bed.connector({ tables: undefined });
    const operations = ['INSERT:Messages', 'insert:sales.messages', '*:messages', 'UPDATE:*', 'messages.DELETE'];
    const flows = connector.source.bind(
      operations.map((operation) => ({
        flow: operation,
        operation,
        words: {},
        deliver: ({ input }: Message) => {
          taken.push([operation, input['schema'], input['trigger']]);
          return reply;
        },
      })),
    );
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    await rows(`INSERT INTO other VALUES (1); INSERT INTO messages VALUES (1, 'a'); INSERT INTO sales.messages VALUES (1);
      UPDATE messages SET body = 'b'; UPDATE other SET id = 2; DELETE FROM messages`);
    await until(() => taken.length === 5);
    expect(taken).toEqual([
      ['INSERT:Messages', 'public', 'INSERT'],
      ['insert:sales.messages', 'sales', 'INSERT'],
      ['*:messages', 'public', 'UPDATE'],
      ['UPDATE:*', 'public', 'UPDATE'],
      ['messages.DELETE', 'public', 'DELETE'],
    ]);
  });

  test('R-06: what changed while no process took changes, and while the link was cut, comes in order without a gap', async () => {
    const first = await open(() => reply);
    await first.close();
    await bed.publish(['before']);
    const taken: Input[] = [];
    const connector = await open(keeping(taken));
    await until(async () => taken.length === 1 && (await bed.database.slotRow())?.lag === 0);
    bed.proxy.fault = 'refuse';
    bed.cut();
    const bodies = Array.from({ length: 100 }, (_, at) => `m${at}`);
    await bed.publish(bodies);
    await expect(connector.check?.(never)).rejects.toThrow();
    bed.proxy.fault = 'pass';
    await until(() => taken.length === 101);
    expect(taken.map((input) => bed.textOf(input))).toEqual(['before', ...bodies]);
  });

  test('R-67: a position is confirmed when nothing before it is open: the first that failed comes again with all behind it', async () => {
    const opening = await open(
      ({ input }) => {
        if (['c', 'e'].includes(bed.textOf(input) as string)) throw new Failure('connector_refused', 'away');
        return reply;
      },
      { workers: 5 },
    );
    await rows(`INSERT INTO messages (body) VALUES ('a'), ('b')`);
    await bed.publish(['c', 'd', 'e']);
    await until(() => opening.source.events.unsettled === 2);
    await opening.close();
    const taken: Input[] = [];
    await open(keeping(taken));
    await until(() => taken.length === 3);
    expect(taken.map((input) => bed.textOf(input))).toEqual(['c', 'd', 'e']);
  });

  test('R-77: changes of one row are in order with many workers, and a failing one holds up its row alone', async () => {
    const taken: string[] = [];
    const connector = await open(
      async ({ input }) => {
        const { body } = input['new'] as { body: string };
        if (body === '1:0' && taken.length < 18) throw new Failure('connector_refused', 'away');
        await new Promise((resolve) => setImmediate(resolve));
        taken.push(body);
        return reply;
      },
      { workers: 8 },
    );
    await rows(`INSERT INTO messages (id, body) SELECT r, r || ':0' FROM generate_series(1, 4) r`);
    for (let turn = 1; turn <= 5; turn++) await rows(`UPDATE messages SET body = id || ':' || $1`, [turn]);
    await until(() => taken.length === 24 && connector.source.events.unsettled === 0);
    for (const id of [1, 2, 3, 4])
      expect(taken.filter((body) => body.startsWith(`${id}:`))).toEqual(
        [0, 1, 2, 3, 4, 5].map((turn) => `${id}:${turn}`),
      );
  });

  test('R-45: with `order = "commit"` a change that fails holds up everything behind it', async () => {
    let isUnavailable = true;
    let tries = 0;
    const taken: unknown[] = [];
    await open(
      ({ input }) => {
        if (bed.textOf(input) === 'a' && isUnavailable) {
          tries++;
          throw new Failure('connector_refused', 'away');
        }
        taken.push(bed.textOf(input));
        return reply;
      },
      { order: 'commit', workers: 4 },
    );
    await bed.publish(['a', 'b', 'c']);
    await until(() => tries >= 3);
    expect(taken).toEqual([]);
    isUnavailable = false;
    await until(() => taken.length === 3);
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  test('a row that gets another key is handled alone', async () => {
    const isAlone = (input: Input) => input['old'] !== undefined;
    const running = new Set<Input>();
    const beside: unknown[] = [];
    const published = Promise.withResolvers<void>();
    let ended = 0;
    const connector = await open(
      async ({ input }) => {
        running.add(input);
        await published.promise;
        // What the server has sent by now is read, and would be handled beside this one.
        if (isAlone(input)) await connector.check?.(never);
        if ([...running].some(isAlone)) beside.push(running.size);
        running.delete(input);
        ended++;
        return reply;
      },
      { workers: 8 },
    );
    await bed.publish(['a', 'b', 'c']);
    await rows('UPDATE messages SET id = 100 WHERE id = 1');
    await bed.publish(['d', 'e']);
    published.resolve();
    await until(() => ended === 6);
    expect(beside).toEqual([1]);
  });

  test('R-68: at most `prefetch` changes are held, of which `workers` are handled, and the server keeps the others', async () => {
    const waiting: (() => void)[] = [];
    let count = 0;
    let isReleased = false;
    const connector = await open(
      () => {
        count++;
        if (isReleased) return reply;
        return new Promise((resolve) => waiting.push(() => resolve(reply)));
      },
      { prefetch: 10, workers: 3 },
    );
    await rows(`INSERT INTO messages (body) SELECT repeat('x', 500) FROM generate_series(1, 5000)`);
    await until(() => waiting.length === 3 && connector.source.events.unsettled === 10);
    expect(count).toBe(3);
    await connector.check?.(AbortSignal.timeout(10_000));
    isReleased = true;
    for (const go of waiting) go();
    await until(() => count === 5000 && connector.source.events.unsettled === 0);
  });

  test('a slot moves on while other tables change, though no flow takes anything', async () => {
    await rows('CREATE TABLE other (id int PRIMARY KEY)');
    await open(() => reply, {}, ['*:messages']);
    await rows('INSERT INTO other SELECT generate_series(1, 5000)');
    await until(async () => (await bed.database.slotRow())?.lag === 0);
  });
});
