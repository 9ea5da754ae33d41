import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { type RunningService, runCommand, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { ask, copyConfiguration, metricIn, migrate } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const names = ['one', 'two', 'three', 'four', 'five'];
let directory: string;
let service: RunningService;
let remote: Upstream;
let env: Record<string, string>;

beforeEach(async () => {
  remote = await startUpstream(({ url }) => ({ body: { said: url } }));
  env = { REMOTE_URL: remote.address };
});
afterEach(async () => {
  await service?.stop('SIGKILL');
  await remote.close();
  rmSync(directory, { recursive: true, force: true });
});

const start = async () => {
  service = await startService({ directory, env });
};
const called = () => remote.received.map(({ url }) => url.slice(1));

/** What `svc workflows` says about one instance. */
async function shown(id: string): Promise<Record<string, unknown>> {
  const { stdout } = await runCommand(['workflows', 'show', id, '-c', directory, '--format', 'json'], env);
  return JSON.parse(stdout) as Record<string, unknown>;
}
const ended = (id: string) => until(async () => (await shown(id))['status'] === 'completed');

describe('five steps of another service', () => {
  beforeEach(async () => {
    directory = copyConfiguration(import.meta.dirname);
    await start();
  });

  /** Begins an instance, and resolves while its second step is under way, with what lets that end. */
  async function inSecondStep(): Promise<{ readonly id: string; readonly go: () => void }> {
    const reached = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    let times = 0;
    remote.react = ({ url }) => {
      const said = { said: url };
      if (url !== '/two' || ++times > 1) return { body: said };
      reached.resolve();
      return (response) => {
        void gone.promise.then(() => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(said));
        });
      };
    };
    const { status, body } = await ask('POST', `${service.address}/five`, { name: 'n' });
    const { workflow_id: id, ...rest } = body as Record<string, string>;
    expect({ status, rest }).toEqual({
      status: 202,
      rest: { saga: 'five', status: 'running', started_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    expect(id).toMatch(/^wf_[0-9a-f]{32}$/);
    await reached.promise;
    return { id: id as string, go: gone.resolve };
  }

  test('R-42: SIGTERM in the second step lets it end; after a restart the rest runs, and nothing was undone', async () => {
    const { id, go } = await inSecondStep();
    const stopped = service.stop();
    await until(() => service.log.includes('stopping'));
    go();
    expect(await stopped).toEqual({ code: 0, signal: null });
    expect(await shown(id)).toMatchObject({ status: 'running', current_step: 'three' });
    expect(called()).toEqual(['one', 'two']);
    await start();
    await ended(id);
    expect(called()).toEqual(names);
    expect(JSON.parse(remote.received.at(-1)?.body ?? '')).toEqual({ before: '/one' });
  });

  test('R-42: a second step that does not end in time is cut and repeated, and nothing is undone', async () => {
    await service.stop();
    env = { ...env, STOP_TIMEOUT: '1s' };
    await start();
    const { id } = await inSecondStep();
    await service.stop();
    expect(await shown(id)).toMatchObject({ status: 'running', current_step: 'two' });
    await start();
    await ended(id);
    expect(called()).toEqual(['one', 'two', ...names.slice(1)]);
  });

  test('after kill -9 in the second step that step is repeated, and no other', async () => {
    const { id, go } = await inSecondStep();
    await service.stop('SIGKILL');
    go();
    await start();
    await ended(id);
    expect(called()).toEqual(['one', 'two', ...names.slice(1)]);
  });

  test('a reload hands an instance over between two steps', async () => {
    const { id, go } = await inSecondStep();
    writeFileSync(join(directory, 'more.hcl'), 'service {\n  version = "2.0.0"\n}\n');
    await until(() => service.log.includes('reloaded'));
    go();
    await ended(id);
    expect(called()).toEqual(names);
  });

  test('R-43: a cancellation undoes what is done, in reverse', async () => {
    const { id, go } = await inSecondStep();
    const { code, stdout } = await runCommand(['workflows', 'cancel', id, '-c', directory], env);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${id}: the workflow is cancelled; its completed steps are undone in reverse order\n`,
    });
    go();
    await until(async () => (await shown(id))['status'] === 'cancelled');
    expect(called()).toEqual(['one', 'two', 'undo/two', 'undo/one']);
  });

  test('R-54: what cannot be undone is recorded, shown and counted', async () => {
    remote.react = ({ url }) => ({ status: url === '/three' || url === '/undo/two' ? 422 : 200, body: { said: url } });
    const { body } = await ask('POST', `${service.address}/five`, { name: 'n' });
    const id = (body as { workflow_id: string }).workflow_id;
    await until(async () => (await shown(id))['status'] === 'compensation_failed');
    expect(await shown(id)).toMatchObject({
      error: expect.stringContaining('step "three"'),
      compensation_errors: [expect.stringContaining('compensation of step "two"')],
    });
    expect(called()).toContain('undo/one');
    const { text } = await ask('GET', `${service.admin}/metrics`);
    expect(metricIn(text, 'svc_workflow_compensation_failures_total{saga="five"}')).toBe(1);
  });
});

describe('the example', () => {
  const headers = { 'x-api-key': 'rentals-example-key' };
  let api: string;
  beforeEach(async () => {
    directory = copyConfiguration(join(import.meta.dirname, '..', '..', '..', 'examples', 'workflows'));
    const port = String(await freePort());
    env = { WORKFLOW_PORT: port, RENTAL_TIME: '1s' };
    api = `http://127.0.0.1:${port}/workflows`;
    await migrate(directory, ['db'], env);
    await start();
  });

  const rent = async () => {
    const { body } = await ask('POST', `${service.address}/rentals`, { van: 'transit', customer: 'ada' });
    const id = (body as { workflow_id: string }).workflow_id;
    await until(async () => (await shown(id))['awaiting_event'] === 'keys_collected');
    return id;
  };
  const rental = async () => ((await ask('GET', `${service.address}/rentals/1`)).body as { state: string }[])[0];

  test('waits for an event across a restart, then for a time, and closes', async () => {
    const id = await rent();
    expect(await rental()).toMatchObject({ state: 'held', collected_by: null });
    await service.stop();
    await start();
    const url = `${api}/${id}/signal/keys_collected`;
    expect((await ask('POST', url, { by: 'bob' })).status).toBe(401);
    expect(await ask('POST', url, { by: 'bob' }, headers)).toMatchObject({
      status: 200,
      body: { workflow_id: id, status: 'running' },
    });
    await until(async () => (await rental())?.state === 'driving');
    expect(await rental()).toMatchObject({ collected_by: 'bob' });
    await ended(id);
    expect(await rental()).toMatchObject({ state: 'closed' });
    expect((await ask('GET', `${api}/${id}`, undefined, headers)).body).toMatchObject({
      status: 'completed',
      current_step: null,
    });
  });

  test('R-43: a cancelled rental is released; a signal from the command line is taken up', async () => {
    const id = await rent();
    expect(await ask('POST', `${api}/${id}/cancel`, undefined, headers)).toMatchObject({
      status: 200,
      body: { status: 'cancelled' },
    });
    await until(async () => (await rental())?.state === 'released');
    expect(await ask('POST', `${api}/${id}/cancel`, undefined, headers)).toMatchObject({ status: 409 });
    const other = await rent();
    const words = ['workflows', 'signal', other, 'keys_collected', '--data', '{"by": "cy"}', '-c', directory];
    expect((await runCommand(words, env)).code).toBe(0);
    await until(async () => (await shown(other))['current_step'] !== 'pickup');
  });
});
