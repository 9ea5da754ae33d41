import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { EventConnector } from '../../../intake/testing/conformance.ts';
import { ChangeBed } from './testing/bed.ts';
import { type Cluster, hasCluster, startCluster } from './testing/cluster.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };
type Input = Readonly<Record<string, unknown>>;

describe.skipIf(!hasCluster)('rows that exist', () => {
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

  async function open(
    written: Readonly<Record<string, unknown>>,
    take: (input: Input, message: Message) => Outcome | Promise<Outcome>,
  ): Promise<EventConnector> {
    const connector = bed.connector(written);
    const flows = connector.source.bind([
      { flow: 'f', operation: '*', words: {}, deliver: (message) => take(message.input, message) },
    ]);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    return connector;
  }

  const request = (tables: string) =>
    bed.database.rows('SELECT pg_logical_emit_message(true, $1, $2)', [`svc_snapshot:${bed.database.slot}`, tables]);
  const said = (input: Input) => [bed.textOf(input), input['snapshot']];

  test('are delivered before the changes behind them when the slot is made, once, and again after a crash in the middle', async () => {
    await bed.database.rows(`INSERT INTO messages (body) SELECT 'm' || n FROM generate_series(1, 25) n`);
    const first: Input[] = [];
    const hanging = await open({ snapshot: 'initial', prefetch: 10 }, (input, { signal }) => {
      first.push(input);
      if (first.length <= 15) return reply;
      return new Promise((_, reject) => signal()?.addEventListener('abort', () => reject(signal()?.reason)));
    });
    await bed.publish(['changed']);
    await until(() => first.length === 16);
    // As a process that is killed: nothing more is confirmed.
    await hanging.close(AbortSignal.abort()).catch(() => undefined);
    const taken: Input[] = [];
    const again = await open({ snapshot: 'initial', workers: 4 }, (input) => {
      taken.push(input);
      return reply;
    });
    const isChange = (input: Input) => bed.textOf(input) === 'changed' && input['snapshot'] === undefined;
    await until(() => taken.some(isChange) && again.source.events.unsettled === 0);
    // What changed before the rows were read again is among them as well.
    const rows = taken.filter(({ snapshot }) => snapshot === true).map((input) => bed.textOf(input));
    expect(new Set(rows)).toEqual(new Set([...Array.from({ length: 25 }, (_, at) => `m${at + 1}`), 'changed']));
    expect(said(taken.at(-1) as Input)).toEqual(['changed', undefined]);
    const ids = (inputs: readonly Input[]) => new Map(inputs.map((input) => [bed.textOf(input), input['id']]));
    expect(ids(taken.slice(0, -1)).get('m1')).toBe(ids(first).get('m1'));
    await again.close();
    const later: Input[] = [];
    await open({ snapshot: 'initial' }, (input) => {
      later.push(input);
      return reply;
    });
    await bed.publish(['last']);
    await until(() => later.length > 0);
    expect(later.map(said)).toEqual([['last', undefined]]);
  });

  test('are delivered on request, in their place among the changes; values and conditions are those of the publication', async () => {
    await bed.database.rows(`CREATE TABLE "Odd" (id int PRIMARY KEY, n numeric, hidden text);
      CREATE PUBLICATION svc_pub FOR TABLE messages, "Odd" (id, n) WHERE (id > 1);
      INSERT INTO "Odd" VALUES (1, 1.10, 'x'), (2, 2.20, 'y')`);
    const taken: Input[] = [];
    await open({ snapshot: 'on_request', tables: undefined }, (input) => {
      taken.push(input);
      return reply;
    });
    await bed.publish(['before']);
    await request('public.odd');
    await bed.publish(['after']);
    await until(() => taken.length === 3);
    expect(taken.map((input) => [input['table'], input['trigger'], input['snapshot'], input['new']])).toEqual([
      ['messages', 'INSERT', undefined, { id: 1n, body: 'before' }],
      ['odd', 'INSERT', true, { id: 2n, n: '2.20' }],
      ['messages', 'INSERT', undefined, { id: 2n, body: 'after' }],
    ]);
    await request('');
    await until(() => taken.length === 6);
    expect(taken.slice(3).every(({ snapshot }) => snapshot === true)).toBe(true);
  });

  test('are not delivered where that is not written, also when they are asked for', async () => {
    const taken: Input[] = [];
    await open({}, (input) => {
      taken.push(input);
      return reply;
    });
    await bed.publish(['a']);
    await request('messages');
    await bed.publish(['b']);
    await until(() => taken.length === 2);
    expect(taken.map(said)).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
  });
});
