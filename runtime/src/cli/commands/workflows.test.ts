import { describe, expect, test } from 'vitest';
import { never, services, sqliteConnector } from '../../connectors/database/testing/parts.ts';
import type { WorkflowStore } from '../../engine/workflows/store/store.ts';
import { storeOn } from '../../engine/workflows/testing/beds.ts';
import { stateOf } from '../../engine/workflows/testing/store-conformance.ts';
import { inDirectory, typed } from '../testing/typed.ts';

const service = `service {
  workflow {
    storage = connector.db
  }
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "app.db"
}
saga "rent" {
  step "hold" {
    delay = "1h"
  }
  step "pickup" {
    await = "keys"
  }
}
`;

/** A directory with two workflows: one waits for keys, one has ended. Gives how a command ends there, and its database. */
function withWorkflows<T>(
  use: (svc: (...words: string[]) => ReturnType<typeof typed>, store: WorkflowStore) => Promise<T>,
): Promise<T> {
  return inDirectory({ 'a.hcl': service }, async (directory) => {
    const connector = sqliteConnector({ database: 'app.db' }, services(directory));
    await connector.open(never);
    try {
      const store = storeOn(connector);
      await store.prepare();
      for (const [id, over, step] of [
        ['wf_1', { status: 'waiting', step: 1, awaiting: 'keys' }, 'pickup'],
        ['wf_2', { status: 'failed', step: 0, error: 'no van', startedAt: 1_000_900 }, 'hold'],
      ] as const) {
        await store.create(stateOf(id, over), 'hold', { owner: 'a', until: 1 });
        const saving = { lease: { owner: 'a', until: 1 }, now: 1_002_000, unlessCancelled: true };
        await store.save({ state: stateOf(id, over), stepName: step, version: 1 }, saving);
      }
      return await use((...words) => typed(['workflows', ...words], directory), store);
    } finally {
      await connector.close();
    }
  });
}

const failedBecause = (error: string) => ({ status: 1, out: '', error: `svc workflows: ${error}\n` });

describe('svc workflows', () => {
  test('lists for people, filtered and paged', async () => {
    await withWorkflows(async (svc) => {
      const lines = [
        'ID    SAGA  STATUS   STEP    UPDATED                   WAITS FOR',
        'wf_2  rent  failed   hold    1970-01-01T00:16:42.000Z',
        'wf_1  rent  waiting  pickup  1970-01-01T00:16:42.000Z  keys',
      ];
      expect(await svc()).toEqual({ status: 0, out: `${lines.join('\n')}\n`, error: '' });
      expect((await svc('list', '--status', 'completed')).out).toBe('No workflows.\n');
      const first = await svc('list', '--limit', '1', '--saga', 'rent');
      const next = /More: --after (\S+)/.exec(first.out)?.[1] ?? '';
      expect((await svc('list', '--after', next)).out).toContain('wf_1');
    });
  });

  test('shows one, for people and for programs', async () => {
    await withWorkflows(async (svc) => {
      expect((await svc('show', 'wf_2')).out).toBe(
        [
          'id            wf_2',
          'saga          rent',
          'status        failed',
          'current_step  hold',
          'started_at    1970-01-01T00:16:40.900Z',
          'updated_at    1970-01-01T00:16:42.000Z',
          'error         no van',
          '',
        ].join('\n'),
      );
      expect(JSON.parse((await svc('show', 'wf_1', '--format', 'json')).out)).toMatchObject({
        id: 'wf_1',
        awaiting_event: 'keys',
        resume_after: null,
        compensation_errors: [],
      });
      const { out } = await svc('list', '--format', 'json');
      expect(JSON.parse(out)).toMatchObject({ workflows: [{ id: 'wf_2' }, { id: 'wf_1' }], next: null });
    });
  });

  test('signals and cancels through the database', async () => {
    await withWorkflows(async (svc, store) => {
      expect(await svc('signal', 'wf_1', 'keys', '--data', '{"by": "ann"}')).toEqual({
        status: 0,
        out: 'wf_1: the event "keys" was received, the workflow continues\n',
        error: '',
      });
      expect(await store.pendingSignal('wf_1', 'keys')).toEqual({ by: 'ann' });
      expect((await svc('cancel', 'wf_1')).status).toBe(0);
      expect(await store.get('wf_1')).toMatchObject({ cancelRequested: true });
    });
  });

  test('what cannot be done ends with 1', async () => {
    await withWorkflows(async (svc) => {
      expect(await svc('show', 'wf_9')).toEqual(failedBecause('there is no workflow "wf_9"'));
      expect(await svc('cancel', 'wf_2')).toEqual(failedBecause('workflow "wf_2" has ended: it is failed'));
      expect(await svc('signal', 'wf_1', 'paid')).toEqual(
        failedBecause('workflow "wf_1" does not wait for the event "paid": it waits for "keys"'),
      );
    });
    await inDirectory({ 'a.hcl': service }, async (directory) => {
      const { status, error } = await typed(['workflows'], directory);
      expect({ status, error }).toEqual({
        status: 1,
        error: expect.stringMatching(/no such table: svc_workflows.*; start the service once, which makes it\n$/),
      });
    });
    await inDirectory({ 'a.hcl': 'service {}\n' }, async (directory) => {
      expect(await typed(['workflows'], directory)).toEqual(
        failedBecause('the configuration keeps no workflows: service has no workflow block'),
      );
    });
    await inDirectory({ 'a.hcl': 'servic {}\n' }, async (directory) => {
      expect((await typed(['workflows'], directory)).status).toBe(1);
    });
  });

  test.each([
    [['frob'], '"frob" is unknown; it can be list, show ID, signal ID EVENT, cancel ID'],
    [['show'], '"show" takes an ID'],
    [['list', 'wf_1'], '"list" takes no argument'],
    [['signal', 'wf_1'], '"signal" takes an ID and an EVENT'],
    [
      ['signal', 'wf_1', 'keys', '--data', '[1]'],
      '--data takes a JSON object: the body of a signal must be a JSON object',
    ],
    [['show', 'wf_1', '--status', 'failed'], '--status belongs to "list"'],
    [['cancel', 'wf_1', '--data', '{}'], '--data belongs to "signal"'],
    [['list', '--limit', 'x'], '--limit takes a whole number from 1'],
    [
      ['list', '--status', 'paused'],
      '--status takes running, waiting, compensating, completed, failed, cancelled, compensation_failed',
    ],
    [['-c', '/nowhere/at/all'], 'there is no directory /nowhere/at/all'],
  ])('%j is wrong usage', async (words, message) => {
    expect(await typed(['workflows', ...words])).toEqual({
      status: 2,
      out: '',
      error: `svc workflows: ${message}\nsvc workflows --help shows how it is used.\n`,
    });
  });
});
