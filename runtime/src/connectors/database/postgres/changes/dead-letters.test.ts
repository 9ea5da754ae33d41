import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { EventConnector } from '../../../intake/testing/conformance.ts';
import { ChangeBed } from './testing/bed.ts';
import { type Cluster, hasCluster, startCluster } from './testing/cluster.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };

describe.skipIf(!hasCluster)('changes that are given up', () => {
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
  const buried = (table = 'svc_dead_letters') =>
    rows(`SELECT slot, id, reason, change FROM ${table} ORDER BY failed_at, id`).catch(() => []);

  /** What a flow takes, and what it does with each change by its text. */
  async function open(
    deliver: (text: unknown, message: Message) => Outcome,
    written: Readonly<Record<string, unknown>> = {},
    operation = '*',
  ): Promise<EventConnector> {
    const connector = bed.connector({ dlq: {}, tables: undefined, ...written });
    const flows = connector.source.bind([
      { flow: 'f', operation, words: {}, deliver: (message) => deliver(bed.textOf(message.input), message) },
    ]);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    return connector;
  }

  const failing =
    (code: 'connector_refused' | 'value_refused', texts: readonly unknown[], taken: unknown[]) =>
    (text: unknown): Outcome => {
      taken.push(text);
      if (texts.includes(text)) throw new Failure(code, `${text} fails`);
      return reply;
    };

  test('R-75: what can never succeed goes there at once, the others are handled, and the slot moves on', async () => {
    const taken: unknown[] = [];
    await open(failing('value_refused', ['b'], taken));
    await bed.publish(['a', 'b', 'c']);
    await until(async () => taken.length === 3 && (await buried()).length === 1);
    expect(await buried()).toEqual([
      {
        slot: bed.database.slot,
        id: expect.any(String),
        reason: 'b fails',
        change: {
          trigger: 'INSERT',
          schema: 'public',
          table: 'messages',
          timestamp: expect.stringMatching(/^20.*Z$/),
          id: expect.any(String),
          new: { id: 2, body: 'b' },
        },
      },
    ]);
    await until(async () => (await bed.database.slotRow())?.lag === 0);
    // Its own changes are published, as those of all tables, and are taken by no flow.
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  test('what fails in every try goes there after its last one, also where it holds up all others', async () => {
    const taken: unknown[] = [];
    await open(failing('connector_refused', ['a'], taken), { dlq: { max_retries: 2 }, order: 'commit' });
    await bed.publish(['a', 'b']);
    await until(() => taken.includes('b'));
    expect(taken).toEqual(['a', 'a', 'a', 'b']);
    expect((await buried()).map(({ reason }) => reason)).toEqual(['a fails']);
  });

  test('what a policy rejects goes there too', async () => {
    await open(() => ({ kind: 'drop', reason: 'accept', policy: 'reject' }) as Outcome);
    await bed.publish(['a']);
    await until(async () => (await buried()).length === 1);
    expect((await buried())[0]?.['reason']).toMatch(/turned it away/);
  });

  test('R-45: one that cannot be written there is not given up: it comes again until it is there, once', async () => {
    const taken: unknown[] = [];
    await open(failing('value_refused', ['a'], taken));
    await rows('ALTER TABLE svc_dead_letters ADD CONSTRAINT closed CHECK (false)');
    await bed.publish(['a', 'b']);
    await until(() => taken.filter((text) => text === 'a').length >= 2);
    await rows('ALTER TABLE svc_dead_letters DROP CONSTRAINT closed');
    await until(async () => (await buried()).length === 1);
    await until(async () => (await bed.database.slotRow())?.lag === 0);
    expect((await buried()).map(({ reason }) => reason)).toEqual(['a fails']);
    expect(
      bed.lines.some(({ fields }) => /cannot be written into the dead letters/.test(String(fields['reason']))),
    ).toBe(true);
  });

  test('R-75: a change whose values the table cannot hold is kept there as a text, and the others are handled', async () => {
    await rows('CREATE TABLE structures (id int PRIMARY KEY, value json)');
    const ids: unknown[] = [];
    await open((_text, { input }) => {
      const { id, value } = input['new'] as { id: bigint; value: unknown };
      ids.push(id);
      if (value !== null) throw new Failure('value_refused', 'fails \u0001€');
      return reply;
    });
    const values = ['{"a": "x\\u0000y€"}', '["\\ud800"]', `1${'0'.repeat(140_000)}`];
    for (const [id, value] of values.entries()) await rows('INSERT INTO structures VALUES ($1, $2)', [id, value]);
    await rows('INSERT INTO structures VALUES (3, NULL)');
    await until(() => ids.includes(3n));
    expect(ids).toEqual([0n, 1n, 2n, 3n]);
    const kept = await buried();
    expect(kept).toHaveLength(3);
    for (const [at, { reason, change }] of kept.entries()) {
      expect(reason).toBe('fails \\u0001\\u20ac');
      const { text, ...rest } = change as { readonly text: string };
      expect(rest).toEqual({
        trigger: 'INSERT',
        schema: 'public',
        table: 'structures',
        timestamp: expect.stringMatching(/^20.*Z$/),
        id: expect.any(String),
      });
      expect(text).toMatch(/^[ -~]*$/);
      const [row] = await rows('SELECT value::text AS value FROM structures WHERE id = $1', [at]);
      expect(JSON.parse(text)).toEqual({ new: { id: at, value: JSON.parse(String(row?.['value'])) } });
    }
  });

  test('without the block one that can never succeed is dropped, with a warning; so it is where the block is switched off', async () => {
    for (const dlq of [undefined, { enabled: false }]) {
      const taken: unknown[] = [];
      const connector = await open(failing('value_refused', ['a'], taken), { dlq });
      await bed.publish(['a', 'b']);
      await until(() => taken.includes('b'));
      await connector.close();
    }
    expect(await rows("SELECT to_regclass('svc_dead_letters') AS found")).toEqual([{ found: null }]);
    expect(bed.lines.filter(({ message }) => message.startsWith('message dropped'))).toHaveLength(2);
  });

  test('the table has the name that is written, is made only when asked, and what exists is used', async () => {
    const table = 'kept.failed';
    await rows(`CREATE SCHEMA kept; CREATE PUBLICATION svc_pub FOR TABLE messages`);
    await rows("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [bed.database.slot]);
    const refused = open(() => reply, { dlq: { table }, create_if_missing: false });
    await expect(refused).rejects.toMatchObject({
      retriable: false,
      message: expect.stringMatching(
        /the table "kept\.failed" for dead letters does not exist \(CREATE TABLE "kept"\."failed" \(.*\): make it at the server/,
      ),
    });
    expect(await rows("SELECT to_regclass('kept.failed') AS found")).toEqual([{ found: null }]);
    const taken: unknown[] = [];
    const first = await open(failing('value_refused', ['a'], taken), { dlq: { table } });
    await bed.publish(['a']);
    await until(async () => (await buried(table)).length === 1);
    await first.close();
    await open(failing('value_refused', ['b'], taken), { dlq: { table }, create_if_missing: false });
    await bed.publish(['b']);
    await until(async () => (await buried(table)).length === 2);
  });

  test('S-11: the reason is that of the failure, without the text of other systems that it keeps to itself', async () => {
    await open(() => {
      throw new Failure('value_refused', 'the value is refused\u0000', {
        cause: new Error('postgres://u:secret@host'),
      });
    });
    await bed.publish(['a']);
    await until(async () => (await buried()).length === 1);
    expect(JSON.stringify(await buried())).not.toContain('secret');
  });
});
