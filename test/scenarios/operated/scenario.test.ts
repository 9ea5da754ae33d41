import { randomBytes } from 'node:crypto';
import type { WireError } from '@svc/protocol/wire';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childrenOf } from '../../support/children.ts';
import { until, untilPassed } from '../../support/until.ts';
import { debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const database = process.env['TEST_POSTGRES_URL'] ?? '';
const name = `svc_scenario_${randomBytes(6).toString('hex')}`;
const url = new URL(database === '' ? 'postgres://absent' : database);
url.pathname = `/${name}`;

async function statement(address: string, text: string): Promise<Record<string, string>[]> {
  const client = new pg.Client(address);
  await client.connect();
  return (await client.query(text).finally(() => client.end())).rows;
}

/** How often what was done. */
async function runs(): Promise<Record<string, number>> {
  const rows = await statement(url.href, 'SELECT flow, count(*) AS runs FROM runs GROUP BY flow');
  return Object.fromEntries(rows.map(({ flow, runs }) => [flow, Number(runs)]));
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    ({ code }: WireError) => code,
  );

describe.skipIf(database === '')('two processes that a person looks at', () => {
  let service: Scenario;

  beforeAll(async () => {
    await statement(database, `CREATE DATABASE ${name}`);
    await statement(url.href, 'CREATE TABLE runs (flow text NOT NULL)');
    const env = { DATABASE_URL: url.href };
    service = await startScenario(import.meta.dirname, { env, args: ['--workers', '2'] });
  });
  afterAll(async () => {
    await service?.end();
    await statement(database, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });

  test('run a schedule in one of them, and a workflow is signalled and cancelled once, after unlocking', async () => {
    const client = await debugClient(service.admin);
    const begin = async () => ((await service.ask('POST', '/rentals', {})).body as { workflow_id: string }).workflow_id;
    const [first, second] = [await begin(), await begin()];
    const status = async (id: string) => (await client.call('inspect.workflow', { id })).status;
    await untilPassed(async () => expect([await status(first), await status(second)]).toEqual(['waiting', 'waiting']));
    const listed = await client.call('inspect.workflows', { status: 'waiting' });
    expect([listed.storage, listed.counts, listed.workflows.map(({ id }) => id).sort()]).toEqual([
      'db',
      [{ flow: 'rent', status: 'waiting', count: 2 }],
      [first, second].sort(),
    ]);
    const refused = [
      client.call('debug.signalWorkflow', { id: first, signal: 'keys' }),
      client.call('debug.runSchedule', { flow: 'claimed' }),
    ];
    expect(await Promise.all(refused.map(codeOf))).toEqual([-32004, -32004]);

    await client.call('debug.unlock', {});
    for (const flow of ['claimed', 'everywhere']) await client.call('debug.runSchedule', { flow });
    await client.call('debug.signalWorkflow', { id: first, signal: 'keys', payload: { by: 'ann' } });
    await client.call('debug.cancelWorkflow', { id: second });
    await untilPassed(async () =>
      expect([await status(first), await status(second)]).toEqual(['completed', 'cancelled']),
    );
    await untilPassed(async () =>
      expect((await client.call('inspect.schedules', {})).schedules).toMatchObject([
        { flow: 'claimed', storage: 'db', running: 0, last: { outcome: 'succeeded' } },
        { flow: 'everywhere', storage: null, running: 0, last: { outcome: 'succeeded' } },
      ]),
    );
    expect(await runs()).toEqual({ claimed: 1, everywhere: 1, hold: 2, undo: 1, drive: 1 });
    expect(await client.call('inspect.workflow', { id: first })).toMatchObject({ signal: { by: 'ann' } });
    expect(await codeOf(client.call('debug.cancelWorkflow', { id: second }))).toBe(-32602);

    await client.call('debug.lock', {});
    expect(await codeOf(client.call('debug.runSchedule', { flow: 'claimed' }))).toBe(-32004);
    await client.leave();
  });

  test('are still unlocked when one of them was killed and replaced', async () => {
    const client = await debugClient(service.admin);
    await client.call('debug.unlock', {});
    let expected = (await runs())['claimed'] ?? 0;
    for (const pid of await childrenOf(service.pid)) {
      const known = await childrenOf(service.pid);
      process.kill(pid, 'SIGKILL');
      await until(async () => {
        const now = await childrenOf(service.pid);
        return now.length === known.length && !now.includes(pid);
      });
      // Until the new one serves, the other answers; none of them has forgotten what the client has set.
      await untilPassed(async () =>
        expect(await codeOf(client.call('debug.runSchedule', { flow: 'claimed' }))).toBe(undefined),
      );
      expected++;
      // It is answered when the run has begun: the process that has it is not killed before it ended.
      await untilPassed(async () => expect((await runs())['claimed']).toBe(expected));
    }
    await client.leave();
  });
});
