import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { ChangeBed } from './testing/bed.ts';
import { type Cluster, hasCluster, startCluster } from './testing/cluster.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };

describe.skipIf(!hasCluster)('a server that crashes', () => {
  let cluster: Cluster;
  let bed: ChangeBed;
  beforeAll(async () => {
    cluster = await startCluster(['synchronous_commit=on', 'full_page_writes=on']);
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    bed = await ChangeBed.make(cluster);
  });
  afterEach(() => bed.close());

  /** The texts of the changes that are delivered. */
  async function taking(): Promise<unknown[]> {
    const taken: unknown[] = [];
    const connector = bed.connector();
    const deliver = ({ input }: { readonly input: Record<string, unknown> }): Outcome => {
      taken.push(bed.textOf(input));
      return reply;
    };
    const flows = connector.source.bind([{ ...bed.binding, deliver }]);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    return taken;
  }

  const texts = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}`);
  const isConfirmed = async () => (await bed.database.slotRow())?.lag === 0;
  const isSaid = (text: string) => bed.lines.some(({ message }) => message.includes(text));

  test('R-06: what was confirmed does not come again from a server that has forgotten it', async () => {
    const taken = await taking();
    const before = texts(300, 'before');
    await bed.publish(before);
    await until(async () => taken.length === 300 && (await isConfirmed()));
    await cluster.crash();
    await until(() => bed.publish(['after']).then(() => true));
    await until(() => taken.includes('after'));
    expect(taken).toEqual([...before, 'after']);
    expect(isSaid('the server has forgotten what was confirmed')).toBe(true);
  });

  test('a server that was restored has other changes at the place that was handled: all of them come', async () => {
    const taken = await taking();
    await bed.publish(['first']);
    await until(async () => taken.length === 1 && (await isConfirmed()));
    await cluster.crash((data) => execFileSync('cp', ['-a', data, `${data}.kept`]));
    await until(() => bed.publish(['lost']).then(() => true));
    await until(() => taken.includes('lost'));
    await bed.publish(texts(20, 'lost'));
    await until(() => taken.includes('lost19'));
    bed.proxy.fault = 'refuse';
    bed.cut();
    await cluster.crash((data) => execFileSync('sh', ['-c', 'rm -r "$1" && mv "$1.kept" "$1"', 'sh', data]));
    const restored = texts(60, 'restored');
    await until(() => bed.publish(['restored']).then(() => true));
    await bed.publish(restored);
    bed.proxy.fault = 'pass';
    await until(() => taken.includes('restored59'));
    expect(taken.filter((text) => String(text).startsWith('restored'))).toEqual(['restored', ...restored]);
    expect(isSaid('does not have what was handled last')).toBe(true);
  });

  test('a slot that was made again is read from its own place', async () => {
    const taken = await taking();
    await bed.publish(['first']);
    await until(async () => taken.length === 1 && (await isConfirmed()));
    bed.proxy.fault = 'refuse';
    bed.cut();
    await until(async () => (await bed.database.slotRow())?.active === false);
    const { slot } = bed.database;
    await bed.database.rows('SELECT pg_drop_replication_slot($1)', [slot]);
    await bed.database.rows("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [slot]);
    await bed.publish(['second']);
    bed.proxy.fault = 'pass';
    await until(() => taken.length > 1);
    expect(taken).toEqual(['first', 'second']);
  });
});
