import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, httpServices } from '../../../../../test/support/connector-services.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { HttpServices } from '../../../foundation/contracts/http.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { HttpEdge } from '../../../platform/http/edge.ts';
import { HttpListener } from '../../../platform/http/sockets/listener.ts';
import type { SagaState } from '../program.ts';
import type { WorkflowStore } from '../store/store.ts';
import { sqliteBed } from '../testing/beds.ts';
import { programOf } from '../testing/engines.ts';
import { type StoreBed, stateOf } from '../testing/store-conformance.ts';
import { workflowMount } from './api.ts';
import { WorkflowControl } from './control.ts';
import { workflow } from './service-spec.ts';

let bed: StoreBed;
let store: WorkflowStore;
let listener: HttpListener;
let address: string;
let woken: number;

beforeEach(async () => {
  bed = await sqliteBed();
  store = await bed.store();
  await store.prepare();
  await serve();
});
afterEach(async () => {
  await listener.close(AbortSignal.abort());
  await bed.close();
});

/** Serves the API of a service whose saga waits for `keys` and then for `return`. */
async function serve(
  auth: object = { type: 'api_key', keys: ['secret-1', 'secret-2'] },
  over: Partial<ConnectorServices> = {},
  http: Partial<HttpServices> = {},
) {
  await listener?.close(AbortSignal.abort());
  woken = 0;
  const rent = programOf({ hold: {}, pickup: { await: 'keys' }, back: { await: 'return' } });
  const changed = () => void woken++;
  const control = new WorkflowControl({ store, sagas: new Map([['rent', rent]]), clock: systemClock, changed });
  const api = configured(workflow.blocks.api, { port: 0, host: '127.0.0.1', auth });
  const services = connectorServices(over);
  const mount = await workflowMount('workflow.api', api as never, control, services);
  const edge = new HttpEdge([mount], { ...services, http: httpServices(http) });
  listener = new HttpListener(['workflow.api'], edge);
  address = `http://127.0.0.1:${(await listener.listen()).port}`;
}

async function ask(method: string, path: string, init: RequestInit = {}) {
  const headers = { 'x-api-key': 'secret-2', ...(init.headers as object) };
  const answer = await fetch(address + path, { method, ...init, headers });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}
const signal = (id: string, event: string, body?: string, type = 'application/json') =>
  ask('POST', `/workflows/${id}/signal/${event}`, { ...(body && { body, headers: { 'content-type': type } }) });

/** An instance as it was last saved. */
async function saved(id: string, stepName: string | undefined, over: Partial<SagaState>): Promise<void> {
  await store.create(stateOf(id), 'hold', { owner: 'a', until: 1e15 });
  const saving = { lease: { owner: 'a', until: 1e15 }, now: 1_000_500, unlessCancelled: true };
  await store.save({ state: stateOf(id, over), stepName, version: 1 }, saving);
}
const waiting = (id: string) =>
  saved(id, 'pickup', { status: 'waiting', step: 1, awaiting: 'keys', expiresAt: 5_000_000, stepExpiresAt: 3_000_000 });

describe('GET /workflows/{id}', () => {
  test('shows its state', async () => {
    await waiting('wf_1');
    expect(await ask('GET', '/workflows/wf_1')).toEqual({
      status: 200,
      body: {
        id: 'wf_1',
        saga: 'rent',
        status: 'waiting',
        current_step: 'pickup',
        started_at: '1970-01-01T00:16:40.000Z',
        updated_at: '1970-01-01T00:16:40.500Z',
        resume_after: null,
        awaiting_event: 'keys',
        expires_at: '1970-01-01T00:50:00.000Z',
        error: null,
        compensation_errors: [],
      },
    });
  });

  test('R-54: shows what could not be undone', async () => {
    await saved('wf_1', 'back', { status: 'compensation_failed', error: 'late', compensationErrors: ['hold: away'] });
    const { body } = await ask('GET', '/workflows/wf_1');
    expect(body).toMatchObject({ status: 'compensation_failed', error: 'late', compensation_errors: ['hold: away'] });
  });

  test('an unknown id is 404', async () => {
    const body = { error: 'there is no workflow "wf_9"', code: 'not_found' };
    expect(await ask('GET', '/workflows/wf_9')).toEqual({ status: 404, body });
    expect(await signal('wf_9', 'keys')).toEqual({ status: 404, body });
    expect(await ask('POST', '/workflows/wf_9/cancel')).toEqual({ status: 404, body });
  });

  test('an id or a name that no database can look up is refused', async () => {
    expect(await ask('GET', '/workflows/%00')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await ask('GET', '/workflows?saga=%00')).toMatchObject({ status: 400, body: { code: 'value_refused' } });
    expect(await ask('GET', '/workflows?after=1.%00')).toMatchObject({ status: 400, body: { code: 'value_refused' } });
  });

  test('what has ended no longer expires', async () => {
    await saved('wf_1', 'pickup', { status: 'cancelled', expiresAt: 5_000_000 });
    expect((await ask('GET', '/workflows/wf_1')).body).toMatchObject({ status: 'cancelled', expires_at: null });
  });
});

describe('GET /workflows', () => {
  test('is paged and filtered', async () => {
    for (const id of ['wf_1', 'wf_2', 'wf_3']) await waiting(id);
    const page = async (query: string) => {
      const { body } = await ask('GET', `/workflows?${query}`);
      const { workflows, next } = body as { workflows: { id: string }[]; next: string | null };
      return { ids: workflows.map(({ id }) => id), next };
    };
    const first = await page('limit=2&status=waiting&saga=rent');
    expect(first.ids).toEqual(['wf_3', 'wf_2']);
    expect(await page(`limit=2&after=${first.next}`)).toEqual({ ids: ['wf_1'], next: null });
    expect(await page('status=completed')).toEqual({ ids: [], next: null });
  });

  test.each(['status=paused', 'limit=0', 'limit=501', 'limit=x', 'after=x', 'saga=a&saga=b'])(
    'refuses %s',
    async (query) => {
      expect(await ask('GET', `/workflows?${query}`)).toMatchObject({ status: 400, body: { code: 'value_refused' } });
    },
  );
});

describe('POST /workflows/{id}/signal/{event}', () => {
  test('resumes a waiting workflow, with the body as it was sent', async () => {
    await waiting('wf_1');
    expect(await signal('wf_1', 'keys', '{"by": "ann", "at": 12345678901234567890}')).toEqual({
      status: 200,
      body: {
        workflow_id: 'wf_1',
        status: 'running',
        message: 'the event "keys" was received, the workflow continues',
      },
    });
    expect(await store.pendingSignal('wf_1', 'keys')).toEqual({ by: 'ann', at: 12345678901234567890n });
    expect(woken).toBe(1);
  });

  test('an empty body is an empty object', async () => {
    await waiting('wf_1');
    expect(await signal('wf_1', 'keys')).toMatchObject({ status: 200 });
    expect(await store.pendingSignal('wf_1', 'keys')).toEqual({});
  });

  test('R-59: an event that the workflow will wait for is kept, a second one is a conflict', async () => {
    await waiting('wf_1');
    expect(await signal('wf_1', 'return')).toEqual({
      status: 200,
      body: {
        workflow_id: 'wf_1',
        status: 'waiting',
        message: 'the event "return" is kept until the workflow waits for it',
      },
    });
    expect(await signal('wf_1', 'return')).toEqual({
      status: 409,
      body: { error: 'the event "return" of workflow "wf_1" was signalled before', code: 'workflow_conflict' },
    });
  });

  test('an event that it never waits for, or no longer, is a conflict', async () => {
    await waiting('wf_1');
    await saved('wf_2', 'back', { status: 'waiting', step: 2, awaiting: 'return' });
    await saved('wf_3', undefined, { status: 'completed', step: 3 });
    await saved('wf_4', 'back', { status: 'compensating', step: 2, ending: 'failed' });
    const refusal = async (id: string, event: string) => {
      const { status, body } = await signal(id, event);
      return [status, (body as { error: string }).error];
    };
    expect(await refusal('wf_1', 'paid')).toEqual([
      409,
      'workflow "wf_1" does not wait for the event "paid": it waits for "keys"',
    ]);
    expect(await refusal('wf_2', 'keys')).toEqual([
      409,
      'workflow "wf_2" does not wait for the event "keys": it waits for "return"',
    ]);
    expect(await refusal('wf_3', 'keys')).toEqual([409, 'workflow "wf_3" has ended: it is completed']);
    expect(await refusal('wf_4', 'return')).toEqual([409, 'workflow "wf_4" is being undone']);
    expect(woken).toBe(0);
  });

  test.each([
    ['a list', '[1]', undefined, 400, 'body_undecodable'],
    ['a word', '"x"', undefined, 400, 'body_undecodable'],
    ['no JSON', '{', undefined, 400, 'body_undecodable'],
    ['another type', 'a=1', 'application/x-www-form-urlencoded', 415, 'media_type_unsupported'],
    ['too much', `{"a": "${'x'.repeat(1_048_576)}"}`, undefined, 413, 'body_too_large'],
  ])('a body that is %s is refused', async (_title, body, type, status, code) => {
    await waiting('wf_1');
    expect(await signal('wf_1', 'keys', body, type)).toMatchObject({ status, body: { code } });
    expect(await store.pendingSignal('wf_1', 'keys')).toBe(undefined);
  });
});

describe('POST /workflows/{id}/cancel', () => {
  test('R-43: asks for the cancellation, once', async () => {
    await waiting('wf_1');
    const answer = {
      status: 200,
      body: {
        workflow_id: 'wf_1',
        status: 'cancelled',
        message: 'the workflow is cancelled; its completed steps are undone in reverse order',
      },
    };
    expect([await ask('POST', '/workflows/wf_1/cancel'), await ask('POST', '/workflows/wf_1/cancel')]).toEqual([
      answer,
      answer,
    ]);
    expect(await store.get('wf_1')).toMatchObject({ cancelRequested: true });
    expect(woken).toBe(1);
  });

  test.each(['completed', 'failed', 'cancelled', 'compensation_failed'] as const)(
    'of one that is %s is a conflict',
    async (status) => {
      await saved('wf_1', undefined, { status });
      expect(await ask('POST', '/workflows/wf_1/cancel')).toEqual({
        status: 409,
        body: { error: `workflow "wf_1" has ended: it is ${status}`, code: 'workflow_conflict' },
      });
    },
  );

  test('of one whose saga is gone is a conflict, as is a signal', async () => {
    await store.create(stateOf('wf_1', { saga: 'gone' }), 'hold', undefined);
    const error = 'workflow "wf_1" is suspended: the configuration has no saga "gone"';
    expect(await ask('POST', '/workflows/wf_1/cancel')).toMatchObject({ status: 409, body: { error } });
    expect(await signal('wf_1', 'keys')).toMatchObject({ status: 409, body: { error } });
    expect((await ask('GET', '/workflows/wf_1')).status).toBe(200);
  });

  test('a signal of one whose step is gone is a conflict, a cancellation is not', async () => {
    await saved('wf_1', 'handover', { status: 'waiting', step: 1, awaiting: 'keys' });
    const error = 'workflow "wf_1" is suspended: the saga "rent" has no step "handover"';
    expect(await signal('wf_1', 'keys')).toMatchObject({ status: 409, body: { error } });
    expect((await ask('POST', '/workflows/wf_1/cancel')).status).toBe(200);
  });

  test('R-43: of one whose steps are all done is a conflict, as is a signal: it can no longer be undone', async () => {
    await saved('wf_1', undefined, { status: 'running', step: 3 });
    const error = 'workflow "wf_1" is about to end: all of its steps are done';
    expect(await ask('POST', '/workflows/wf_1/cancel')).toMatchObject({ status: 409, body: { error } });
    expect(await signal('wf_1', 'keys')).toMatchObject({ status: 409, body: { error } });
    expect(await store.get('wf_1')).toMatchObject({ cancelRequested: false });
  });

  test('of one that is being undone is a conflict, unless it is cancelled', async () => {
    await saved('wf_1', 'back', { status: 'compensating', ending: 'failed' });
    await saved('wf_2', 'back', { status: 'compensating', ending: 'cancelled' });
    expect((await ask('POST', '/workflows/wf_1/cancel')).status).toBe(409);
    expect((await ask('POST', '/workflows/wf_2/cancel')).status).toBe(200);
  });
});

describe('access', () => {
  const paths = [
    ['GET', '/workflows'],
    ['GET', '/workflows/wf_1'],
    ['POST', '/workflows/wf_1/signal/keys'],
    ['POST', '/workflows/wf_1/cancel'],
    ['GET', '/health'],
    ['GET', '/health/live'],
    ['GET', '/metrics'],
    ['GET', '/'],
    ['OPTIONS', '/workflows'],
  ] as const;

  test.each(paths)('S-08: a request without a credential is refused: %s %s', async (method, path) => {
    const builtin = {
      path: '/health',
      open: true,
      handle: () => ({ status: 200, contentType: 'text/plain', body: 'ok' }),
    };
    await serve(undefined, {}, { builtins: [builtin] });
    await waiting('wf_1');
    for (const key of ['', 'secret', 'secret-11'])
      expect(await ask(method, path, { headers: { 'x-api-key': key } })).toEqual({
        status: 401,
        body: { error: 'unauthorized', code: 'authentication_required' },
      });
    expect(await store.get('wf_1')).toMatchObject({ cancelRequested: false });
  });

  test('users by password, as connectors admit them', async () => {
    await serve({ type: 'basic', users: { ops: 'pw' } });
    const authorization = (pair: string) => ({ headers: { authorization: `Basic ${btoa(pair)}` } });
    expect((await ask('GET', '/workflows', authorization('ops:pw'))).status).toBe(200);
    expect((await ask('GET', '/workflows', authorization('ops:no'))).status).toBe(401);
  });

  test('other methods and paths', async () => {
    expect((await ask('DELETE', '/workflows/wf_1')).status).toBe(405);
    expect((await ask('GET', '/health')).status).toBe(404);
  });
});

test('an unavailable store is answered with 5xx, in production without the reason', async () => {
  await serve(undefined, { production: true });
  await bed.close();
  const { status, body } = await ask('GET', '/workflows/wf_1');
  expect({ status, body }).toEqual({
    status: 500,
    body: { error: 'Internal Server Error', request_id: expect.any(String) },
  });
  bed = await sqliteBed();
});
