import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { engines, type OnEngine, startOn } from '../engines.ts';
import { ask, type Scenario } from '../scenario.ts';

const rows = 2_500;

for (const engine of engines)
  describe.skipIf(engine.skip)(`a batch on ${engine.name}`, () => {
    let service: Scenario;
    let running: OnEngine;

    beforeAll(async () => {
      running = await startOn(engine, import.meta.dirname);
      service = running.service;
    });

    afterAll(() => running?.end());

    const counts = async (address = service.address) => {
      const { body } = await ask('GET', `${address}/count`);
      const [row] = body as Record<string, unknown>[];
      return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
    };
    const post = async (path: string, body: object = {}) => {
      const answer = await service.ask('POST', path, body);
      return { status: answer.status, body: answer.body };
    };

    test('stops at the first row that cannot be written, and those before it stay', async () => {
      const { status, body } = await post('/strict');
      expect([status, body]).toEqual([
        500,
        { error: expect.stringMatching(/^chunk 2: /), code: 'constraint_violated' },
      ]);
      expect(await counts()).toMatchObject({ strict: 699 });
    });

    test('leaves chunks with such rows out with on_error = "continue", and nothing of them stays', async () => {
      const { status, body } = await post('/lenient', { after: 0 });
      const chunk = (number: number) => expect.stringMatching(new RegExp(`^chunk ${number}: `));
      expect([status, body]).toEqual([
        200,
        { processed: rows - 1500, failed: 1500, chunks: 5, errors: [chunk(2), chunk(3), chunk(5)] },
      ]);
      expect(await counts()).toMatchObject({ lenient: rows - 1500 });
      expect(await service.metric('svc_batch_rows_total{flow="lenient",status="failed"}')).toBe(1500);
      expect((await post('/lenient', { after: 2_000 })).body).toMatchObject({ processed: 0, failed: 500, chunks: 1 });
    });

    test('writes many rows with one call, in INSERT and in UPSERT', async () => {
      const calls = async () =>
        (await service.metric(
          `svc_connector_operations_total{connector="db",type="${engine.name}",operation="write",status="success"}`,
        )) ?? 0;
      const began = await calls();
      const done = { status: 200, body: { processed: rows, failed: 0, chunks: 2, errors: [] } };
      expect(await post('/plain', { times: 1 })).toEqual(done);
      // 1000, 500 and 1000 rows.
      expect(await calls()).toBe(began + 3);
      expect(await counts()).toMatchObject({ times: rows });
      expect(await post('/again', { times: 3 })).toEqual(done);
      expect(await calls()).toBe(began + 6);
      expect(await counts()).toMatchObject({ times: 3 * rows });
      expect(await post('/plain', { times: 1 })).toMatchObject({ body: { code: 'constraint_violated' } });
      expect(await counts()).toMatchObject({ times: 3 * rows });
    });

    test('whose process is killed in the middle begins again when it is asked for again', {
      timeout: 120_000,
    }, async () => {
      const { directory } = service;
      const first = await startService({ directory, env: running.env });
      const cut = ask('POST', `${first.address}/copy`, {}).catch(() => 'cut');
      // Others are served meanwhile.
      await until(async () => ((await counts(first.address))['copies'] ?? 0) > 700);
      process.kill(first.pid, 'SIGKILL');
      expect(await cut).toBe('cut');
      const { copies: before = 0 } = await counts();
      expect([before < rows, (await counts())['again']]).toEqual([true, 0]);
      expect(await post('/copy')).toEqual({
        status: 200,
        body: { processed: rows, failed: 0, chunks: 5, errors: [] },
      });
      const { copies, again = 0, last_again } = await counts();
      expect([copies, last_again]).toEqual([rows, again]);
      // The row that was on its way may have been written after the others were counted.
      expect(again - before === 0 || again - before === 1).toBe(true);
    });

    test('whose caller goes away ends early', async () => {
      const caller = new AbortController();
      const began = (await service.metric('svc_batch_rows_total{flow="copy",status="processed"}')) ?? 0;
      const done = async () =>
        ((await service.metric('svc_batch_rows_total{flow="copy",status="processed"}')) ?? 0) - began;
      const asked = fetch(`${service.address}/copy`, { method: 'POST', signal: caller.signal }).catch(() => 'gone');
      await until(async () => (await done()) > 100);
      caller.abort();
      expect(await asked).toBe('gone');
      const canceled = 'svc_flow_executions_total{flow="copy",status="error"}';
      await until(async () => (await service.metric(canceled)) === 1);
      expect(await done()).toBeLessThan(rows);
    });
  });
