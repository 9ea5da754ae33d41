import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { SourceCounts } from '../../../../foundation/contracts/observer.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { uncounted } from '../../../intake/uncounted.ts';
import { ChangeBed } from './testing/bed.ts';
import { type Cluster, hasCluster, startCluster } from './testing/cluster.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };

describe.skipIf(!hasCluster)('what the log of a server has beside changes of rows', () => {
  let cluster: Cluster;
  let bed: ChangeBed;
  let passed: string[];
  beforeAll(async () => {
    cluster = await startCluster(['max_prepared_transactions=5', 'logical_decoding_work_mem=64kB']);
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    bed = await ChangeBed.make(cluster);
    passed = [];
  });
  afterEach(() => bed.close());

  const rows = (text: string) => bed.database.rows(text);

  /** What happened, where, and to which row. */
  async function taking(operation = '*'): Promise<unknown[]> {
    const taken: unknown[] = [];
    const counts: SourceCounts = { ...uncounted, passedOver: (kind) => void passed.push(kind) };
    const connector = bed.connector({ tables: undefined, snapshot: 'on_request' }, { sources: { of: () => counts } });
    const deliver = ({ input }: { readonly input: Record<string, unknown> }): Outcome => {
      const { trigger, table, new: after, old } = input;
      taken.push([trigger, table, after ?? old]);
      return reply;
    };
    const flows = connector.source.bind([{ ...bed.binding, operation, deliver }]);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    return taken;
  }

  /** Every change that came until one that is made now, which is left out; all of them are confirmed. */
  async function ended(taken: unknown[]): Promise<unknown[]> {
    await rows(`INSERT INTO messages (id, body) VALUES (1000000, 'end')`);
    await until(() => JSON.stringify(taken.at(-1), plain)?.includes('"end"'));
    await until(async () => (await bed.database.slotRow())?.lag === 0);
    return taken.slice(0, -1);
  }

  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

  test('emptied tables are passed over, counted, and logged once each', async () => {
    await rows(`CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child (id int REFERENCES parent);
      CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id);
      CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (10)`);
    const taken = await taking('*:*');
    await rows('INSERT INTO messages (id) VALUES (1)');
    await rows('TRUNCATE parent, messages CASCADE');
    await rows('BEGIN; TRUNCATE messages; INSERT INTO messages (id) VALUES (2); TRUNCATE parts; COMMIT');
    expect(await ended(taken)).toEqual([
      ['INSERT', 'messages', { id: 1n, body: null }],
      ['INSERT', 'messages', { id: 2n, body: null }],
    ]);
    expect(passed).toEqual(['truncate', 'truncate', 'truncate', 'truncate', 'truncate']);
    const said = bed.lines.filter(({ message }) => message.startsWith('a table was emptied'));
    expect(said.map(({ level, fields }) => [level, fields['table']])).toEqual(
      ['public.parent', 'public.messages', 'public.child', 'public.part'].map((table) => ['warn', table]),
    );
  });

  test('messages of other programs, origins, and transactions that changed nothing', async () => {
    const taken = await taking();
    await rows(`SELECT pg_logical_emit_message(true, 'other', decode('00ff', 'hex'))`);
    await rows(`SELECT pg_logical_emit_message(false, 'svc_snapshot:${bed.database.slot}', '')`);
    await rows(`BEGIN; CREATE TABLE passing (id int); DROP TABLE passing; COMMIT`);
    await rows(`BEGIN; INSERT INTO messages (id) VALUES (1); ROLLBACK`);
    await rows(`SELECT pg_replication_origin_create('${bed.database.name}')`);
    await rows(`SELECT pg_replication_origin_session_setup('${bed.database.name}');
      INSERT INTO messages (id) VALUES (2); SELECT pg_replication_origin_session_reset()`);
    expect(await ended(taken)).toEqual([['INSERT', 'messages', { id: 2n, body: null }]]);
    await rows(`SELECT pg_replication_origin_drop('${bed.database.name}')`);
  });

  test('transactions in two phases, with savepoints, and larger than the memory of the server for them', async () => {
    const taken = await taking();
    await rows(`BEGIN; INSERT INTO messages (id) VALUES (1); PREPARE TRANSACTION '${bed.database.name}'`);
    await rows(`BEGIN; INSERT INTO messages (id) VALUES (2); SAVEPOINT s; INSERT INTO messages (id) VALUES (3);
      ROLLBACK TO s; INSERT INTO messages (id) VALUES (4); COMMIT`);
    await rows(`COMMIT PREPARED '${bed.database.name}'`);
    await rows(`INSERT INTO messages (id, body) SELECT n, repeat('x', 500) FROM generate_series(5, 1500) n`);
    const all = await ended(taken);
    expect(all.map((change) => (change as [string, string, { id: bigint }])[2].id)).toEqual([
      ...[2n, 4n, 1n],
      ...Array.from({ length: 1496 }, (_, at) => BigInt(at + 5)),
    ]);
  });

  test('tables and types that change, have no key, no column, or partitions', async () => {
    await rows(`CREATE TABLE keyless (id int); ALTER TABLE keyless REPLICA IDENTITY NOTHING; CREATE TABLE bare ();
      CREATE TABLE odd (id int PRIMARY KEY, "__proto__" text, "Größe" text);
      CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id);
      CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (10)`);
    const taken = await taking();
    await rows('INSERT INTO keyless VALUES (1), (NULL)');
    await rows('INSERT INTO bare DEFAULT VALUES');
    await rows(`INSERT INTO odd VALUES (1, 'p', 'g')`);
    await rows('INSERT INTO parts VALUES (1)');
    await rows(`BEGIN; INSERT INTO messages (id) VALUES (1); ALTER TABLE messages ADD more int;
      INSERT INTO messages (id, more) VALUES (2, 3); CREATE TYPE mood AS ENUM ('ok'); ALTER TABLE messages ADD m mood;
      INSERT INTO messages (id, m) VALUES (3, 'ok'); COMMIT`);
    await rows(`ALTER TABLE messages DROP more, RENAME id TO number`).catch(() => undefined);
    const all = await ended(taken);
    expect(JSON.parse(JSON.stringify(all, plain))).toEqual([
      ['INSERT', 'keyless', { id: '1' }],
      ['INSERT', 'keyless', { id: null }],
      ['INSERT', 'bare', {}],
      ['INSERT', 'odd', JSON.parse('{"id": "1", "__proto__": "p", "Größe": "g"}')],
      ['INSERT', 'part', { id: '1' }],
      ['INSERT', 'messages', { id: '1', body: null }],
      ['INSERT', 'messages', { id: '2', body: null, more: '3' }],
      ['INSERT', 'messages', { id: '3', body: null, more: null, m: 'ok' }],
    ]);
  });

  test('values of types that are made while changes are taken are those of the same types after a restart', async () => {
    const taken = await taking();
    await rows(`CREATE TYPE mood AS ENUM ('ok', 'sad'); CREATE DOMAIN amount AS int;
      CREATE TABLE late (id amount PRIMARY KEY, moods mood[], amounts amount[], mood mood);
      INSERT INTO late VALUES (1, '{ok,sad}', '{1,2}', 'ok'), (2, '{}', NULL, NULL);
      CREATE TABLE later (id amount PRIMARY KEY, mood mood); INSERT INTO later VALUES (3, 'sad')`);
    await rows(`INSERT INTO late VALUES (4, '{sad}', '{3}', 'sad')`);
    expect(JSON.parse(JSON.stringify(await ended(taken), plain))).toEqual([
      ['INSERT', 'late', { id: '1', moods: ['ok', 'sad'], amounts: ['1', '2'], mood: 'ok' }],
      ['INSERT', 'late', { id: '2', moods: [], amounts: null, mood: null }],
      ['INSERT', 'later', { id: '3', mood: 'sad' }],
      ['INSERT', 'late', { id: '4', moods: ['sad'], amounts: ['3'], mood: 'sad' }],
    ]);
  });

  test('a value that cannot be made is the text that the server sent', async () => {
    await rows(`CREATE TABLE deep (id int PRIMARY KEY, value json, day date)`);
    const taken = await taking();
    const nested = `${'['.repeat(4000)}${']'.repeat(4000)}`;
    await rows(`INSERT INTO deep VALUES (1, '${nested}', 'infinity')`);
    const [first] = (await ended(taken)) as [[string, string, Record<string, unknown>]];
    expect([first[2]['id'], first[2]['day'], typeof first[2]['value']]).toEqual([1n, 'infinity', 'string']);
  });
});
