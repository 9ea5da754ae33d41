import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { SourceCounts } from '../../../../foundation/contracts/observer.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { EventConnector } from '../../../intake/testing/conformance.ts';
import { uncounted } from '../../../intake/uncounted.ts';
import { ChangeBed } from './testing/bed.ts';
import { type Cluster, hasCluster, startCluster } from './testing/cluster.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };
type Input = Readonly<Record<string, unknown>>;

describe.skipIf(!hasCluster)('slot and publication', () => {
  let cluster: Cluster;
  let bed: ChangeBed;
  beforeAll(async () => {
    cluster = await startCluster(['max_slot_wal_keep_size=1MB', 'min_wal_size=32MB', 'max_wal_size=64MB']);
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    bed = await ChangeBed.make(cluster);
  });
  afterEach(() => bed.close());

  const rows = (text: string, values?: readonly unknown[]) => bed.database.rows(text, values);
  const slots = () => rows('SELECT slot_name FROM pg_replication_slots WHERE database = $1', [bed.database.name]);

  async function open(
    connector: EventConnector,
    operations: readonly (string | undefined)[] = ['*:messages'],
    take: (input: Input) => void = () => undefined,
  ): Promise<EventConnector> {
    const flows = connector.source.bind(
      operations.map((operation) => ({
        flow: 'changed',
        operation,
        words: {},
        deliver: ({ input }) => {
          take(input);
          return reply;
        },
      })),
    );
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    return connector;
  }

  test('nothing is made unless that is asked for: what is missing is reported with its remedies', async () => {
    const refused = open(bed.connector({ create_if_missing: false }));
    await expect(refused).rejects.toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: expect.stringMatching(
        /publication "svc_pub" does not exist \(CREATE PUBLICATION.*slot ".*" does not exist.*create_if_missing = true/,
      ),
    });
    expect(await slots()).toEqual([]);
  });

  test('`svc check --create-queues` makes both; what exists is used as it is, and remains when it is closed', async () => {
    const connector = bed.connector({ create_if_missing: false });
    expect(await connector.createSource?.(never)).toBe('replication of connector "changes"');
    expect(await connector.createSource?.(never)).toBeUndefined();
    const taken: unknown[] = [];
    await open(connector, ['*'], (input) => taken.push(input['table']));
    await bed.publish(['a']);
    await until(() => taken.length === 1);
    await connector.close();
    expect([(await slots()).length, (await rows('SELECT pubname FROM pg_publication')).length]).toEqual([1, 1]);
  });

  test.each([
    ['those that are listed', { tables: ['messages', 's.other'] }, ['*'], ['public.messages', 's.other']],
    ['those that flows name', { tables: undefined }, ['INSERT:s.other'], ['s.other']],
    ['all', { tables: undefined }, ['INSERT:s.other', 'DELETE:*'], ['public.messages', 'public.third', 's.other']],
  ])('a publication is made for %s', async (_, written, operations, tables) => {
    await rows('CREATE SCHEMA s; CREATE TABLE s.other (id int PRIMARY KEY); CREATE TABLE third (id int PRIMARY KEY)');
    await open(bed.connector({ publication: 'Mixed', ...written }), operations);
    const found = await rows(`SELECT schemaname || '.' || tablename AS t FROM pg_publication_tables ORDER BY 1`);
    expect(found.map(({ t }) => t)).toEqual(tables);
  });

  test.each([
    [
      'a table that the connector lists',
      { tables: ['messages', 'Ordrs'] },
      ['*'],
      /no table "Ordrs".*ALTER PUBLICATION svc_pub ADD TABLE Ordrs.*it has public.messages/,
    ],
    ['a table that a flow names', {}, ['INSERT:shop.orders'], /no table "shop.orders".*ADD TABLE shop.orders/],
    ['a kind of change that a flow takes', {}, ['DELETE:*'], /does not publish DELETE.*publish = 'insert, delete'/],
  ])('a publication that lacks %s ends the start', async (_, written, operations, message) => {
    await rows(`CREATE PUBLICATION svc_pub FOR TABLE messages WITH (publish = 'insert')`);
    await expect(open(bed.connector(written), operations)).rejects.toMatchObject({
      code: 'connector_failed',
      message: expect.stringMatching(message),
    });
    expect(await slots()).toEqual([]);
  });

  test('changes of tables that are not listed are passed over', async () => {
    await rows('CREATE TABLE other (id int PRIMARY KEY); CREATE PUBLICATION svc_pub FOR ALL TABLES');
    const taken: unknown[] = [];
    await open(bed.connector({ tables: ['public.Messages'] }), ['*'], (input) => taken.push(input['table']));
    await rows('INSERT INTO other VALUES (1)');
    await bed.publish(['a']);
    await until(() => taken.length > 0);
    expect(taken).toEqual(['messages']);
  });

  test.each([
    [
      'another plugin',
      "SELECT pg_create_logical_replication_slot($1, 'test_decoding')",
      /has the plugin "test_decoding"/,
    ],
    ['physical replication', 'SELECT pg_create_physical_replication_slot($1)', /is one of physical replication/],
  ])('a slot of %s is refused, and left as it is', async (_, make, message) => {
    await rows(make, [bed.database.slot]);
    await expect(open(bed.connector())).rejects.toThrow(message);
    expect(
      await rows('SELECT 1 AS n FROM pg_replication_slots WHERE slot_name = $1', [bed.database.slot]),
    ).toHaveLength(1);
    await rows('SELECT pg_drop_replication_slot($1)', [bed.database.slot]);
  });

  test('a slot of another database is refused', async () => {
    const other = await ChangeBed.make(cluster);
    try {
      await open(other.connector());
      await expect(open(bed.connector({ slot_name: other.database.slot }))).rejects.toThrow(/belongs to the database/);
    } finally {
      await other.close();
    }
  });

  test('A-08: of two processes one takes the changes; the second waits, says so, and continues without a gap', async () => {
    const [first, second]: unknown[][] = [[], []];
    const holder = await open(bed.connector(), undefined, (input) => first?.push(bed.textOf(input)));
    const waiting = await open(bed.connector(), undefined, (input) => second?.push(bed.textOf(input)));
    await bed.publish(['1', '2']);
    await until(() => first?.length === 2);
    await until(async () => /used by another process/.test((await waiting.check?.(never)) ?? ''));
    await holder.close();
    await bed.publish(['3']);
    await until(() => second?.length === 1);
    expect([first, second, await waiting.check?.(never)]).toEqual([['1', '2'], ['3'], undefined]);
  });

  test('another service does not take what would be missing for the one that has the slot', async () => {
    const taken: unknown[] = [];
    await open(bed.connector({}, { service: 'a shop of örtlichen Waren' }), undefined, (input) =>
      taken.push(bed.textOf(input)),
    );
    await expect(open(bed.connector({}, { service: 'reports' }))).rejects.toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: expect.stringMatching(
        /slot ".*" is used by connector "changes" of service "a-shop-of--rtlichen-Wa", .* write another slot_name/,
      ),
    });
    await bed.publish(['1']);
    await until(() => taken.length === 1);
  });

  test('R-05: a connection that the server has not noticed to be lost does not keep its slot from this process', async () => {
    const taken: unknown[] = [];
    const connector = await open(bed.connector(), undefined, (input) => taken.push(bed.textOf(input)));
    await bed.publish(['a']);
    await until(() => taken.length === 1);
    bed.proxy.silence();
    await expect(connector.check?.(AbortSignal.timeout(500))).rejects.toThrow();
    await bed.publish(['b']);
    await until(() => taken.includes('b'));
  });

  test('a slot that falls behind is reported in bytes, by metric and health, and is well again', async () => {
    let lag: readonly [string, number] | undefined;
    const counts: SourceCounts = { ...uncounted, behind: (slot, bytes) => void (lag = [slot, bytes]) };
    let release: (() => void) | undefined;
    const connector = bed.connector({ max_lag: 10_000 }, { sources: { of: () => counts } });
    const flows = connector.source.bind([
      { ...bed.binding, deliver: () => new Promise((resolve) => (release = () => resolve(reply))) },
    ]);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    expect(await connector.check?.(never)).toBeUndefined();
    await bed.publish(['a']);
    await until(() => release !== undefined);
    await rows('CREATE TABLE other AS SELECT generate_series(1, 5000)');
    const text = new RegExp(`slot "${bed.database.slot}" is \\d{5,} bytes behind, more than 10000 \\(max_lag\\)`);
    await until(async () => text.test((await connector.check?.(never)) ?? ''));
    expect(lag).toEqual([bed.database.slot, expect.any(Number)]);
    expect(lag?.[1]).toBeGreaterThan(10_000);
    release?.();
    await until(async () => (await connector.check?.(never)) === undefined);
    expect(lag?.[1]).toBeLessThan(10_000);
  });

  test('a slot whose log the server has removed is reported with its remedy, and no other is made', async () => {
    const connector = await open(bed.connector());
    await connector.close();
    for (let turn = 0; turn < 3; turn++)
      await rows(
        'INSERT INTO messages (body) SELECT repeat(md5(random()::text), 100) FROM generate_series(1, 4000)',
      ).then(() => rows('SELECT pg_switch_wal()'));
    await rows('CHECKPOINT');
    await expect(open(bed.connector())).rejects.toThrow(
      /changes behind the slot ".*" are lost.*pg_drop_replication_slot.*snapshot/,
    );
  });

  test('a user that may not replicate is refused with the remedy, and without the password', async () => {
    const role = `reader_${bed.database.name}`;
    await rows(`CREATE ROLE ${role} LOGIN PASSWORD 'secret-word'`);
    const failure = await bed
      .connector({ user: role, password: 'secret-word' })
      .open(never)
      .then(
        () => undefined,
        (error: Error) => error.message,
      );
    await rows(`DROP ROLE ${role}`);
    expect(failure).toMatch(new RegExp(`replicat.*ALTER ROLE ${role} REPLICATION`));
    expect(failure).not.toContain('secret-word');
  });

  test('a publication that is younger than changes behind the slot is reported with the remedy', async () => {
    await rows("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [bed.database.slot]);
    await bed.publish(['too early']);
    await open(bed.connector()).catch(() => undefined);
    await until(() => bed.lines.some(({ fields }) => /is younger than changes behind/.test(String(fields['reason']))));
    expect(await slots()).toHaveLength(1);
  });

  test('an error that comes together with the beginning of the stream is not lost', async () => {
    const held: ChangeBed = await ChangeBed.make(cluster, (piece) => {
      if (piece.includes('START_REPLICATION')) held.proxy.fault = 'hold';
    });
    try {
      const { slot } = held.database;
      await held.database.rows("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [slot]);
      await held.publish(['too early']);
      const opened = held.connector();
      const opening = open(opened).catch(() => undefined);
      const ended = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'START_REPLICATION%' AND state = 'idle'`;
      await until(async () => (await held.database.rows(ended)).length > 0);
      held.proxy.fault = 'pass';
      await until(() => held.lines.some(({ fields }) => /is younger than changes/.test(String(fields['reason']))));
      await opening;
    } finally {
      await held.close();
    }
  });

  test('a slot that is removed while it is used is not made again in silence', async () => {
    const connector = await open(bed.connector());
    bed.proxy.fault = 'refuse';
    bed.cut();
    await until(async () => (await bed.database.slotRow())?.active === false);
    await rows('SELECT pg_drop_replication_slot($1)', [bed.database.slot]);
    bed.proxy.fault = 'pass';
    await until(() =>
      connector.check?.(never).then(
        () => false,
        (error: Error) => /is gone: what changed since then/.test(error.message),
      ),
    );
    expect(await slots()).toEqual([]);
  });
});

describe.skipIf(!hasCluster)('a server', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(['wal_level=replica']);
  });
  afterAll(() => cluster?.stop());

  test('that does not keep what changes are read from is refused with the remedy', async () => {
    const bed = await ChangeBed.make(cluster);
    try {
      await expect(bed.connector().open(never)).rejects.toMatchObject({
        code: 'connector_failed',
        retriable: false,
        message: expect.stringMatching(/wal_level is "replica". Set wal_level = logical .* restart/),
      });
    } finally {
      await bed.close();
    }
  });
});
