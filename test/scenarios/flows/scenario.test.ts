import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { type Answer, ask, migrate, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const secret = 'a secret of at least thirty-two bytes';
let service: Scenario;
let remote: Upstream;
let staff: string;

beforeAll(async () => {
  remote = await startUpstream();
  const port = await freePort();
  staff = `http://127.0.0.1:${port}`;
  service = await startScenario(import.meta.dirname, {
    env: { REMOTE_URL: remote.address, STAFF_PORT: String(port), JWT_SECRET: secret },
    prepare: (directory) => migrate(directory, ['db', 'audit']),
  });
});

afterAll(async () => {
  await service?.end();
  await remote?.close();
});

beforeEach(() => {
  remote.received.length = 0;
  remote.react = () => ({ body: {} });
});

const statusAndBody = ({ status, body }: Answer) => ({ status, body });
const post = async (path: string, body: object) => statusAndBody(await service.ask('POST', path, body));
const get = async (path: string) => statusAndBody(await service.ask('GET', path));

/** A signed token of one caller. */
function token(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ exp: Math.floor(Date.now() / 1000) + 600, ...claims })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const asCaller = async (path: string, claims: object | undefined, body: object = {}) => {
  const headers: Record<string, string> = claims === undefined ? {} : { authorization: `Bearer ${token(claims)}` };
  return ask('POST', `${staff}${path}`, body, headers);
};

describe('gates', () => {
  const passed = { status: 200, body: { passed: true } };

  test('R-35: what a gate turns away is answered, counted and logged as dropped', async () => {
    expect(await post('/gates/filter', { kind: 'order' })).toEqual(passed);
    expect(await post('/gates/filter', { kind: 'other' })).toEqual({
      status: 200,
      body: { status: 'dropped', reason: 'filter' },
    });
    expect(await post('/gates/filter-block', { total: 3 })).toEqual({
      status: 200,
      body: { status: 'dropped', reason: 'filter' },
    });
    expect(await post('/gates/accept', { total: 0 })).toEqual({
      status: 200,
      body: { status: 'dropped', reason: 'accept' },
    });
    const series = [
      'svc_flow_drops_total{flow="filtered",reason="filter"}',
      'svc_flow_drops_total{flow="filtered_block",reason="filter"}',
      'svc_flow_drops_total{flow="accepted",reason="accept"}',
      'svc_flow_executions_total{flow="filtered",status="dropped"}',
      'svc_flow_executions_total{flow="filtered",status="success"}',
    ];
    expect(await Promise.all(series.map((each) => service.metric(each)))).toEqual([1, 1, 1, 1, 1]);
    const lines = await until(() => {
      const found = service.log.split('\n').filter((line) => line.includes('message dropped by policy'));
      return found.length === 3 ? found : undefined;
    });
    expect(lines.map((line) => line.slice(line.indexOf('flow=')))).toEqual([
      `flow=filtered source=api reason=filter decided_by=filter detail="input.kind == 'order'" values={"input.kind":"other"} disposition=ack`,
      'flow=filtered_block source=api reason=filter decided_by=filter detail="input.total > 10" values={"input.total":3} disposition=reject',
      'flow=accepted source=api reason=accept decided_by=accept detail="input.total > 0" values={"input.total":0} disposition=ack',
    ]);
  });

  test('accept that reads who calls refuses with 403', async () => {
    const mine = await asCaller('/gates/own', { sub: 'ada' }, { owner: 'ada' });
    expect(statusAndBody(mine)).toEqual(passed);
    expect(statusAndBody(await asCaller('/gates/own', { sub: 'ada' }, { owner: 'eve' }))).toEqual({
      status: 403,
      body: { error: 'the request was not accepted', code: 'permission_denied' },
    });
  });

  test('require asks who calls before anything looks at the message', async () => {
    const denied = { status: 403, body: { error: 'forbidden', code: 'permission_denied' } };
    expect(await asCaller('/gates/role', undefined, { wrong: true })).toMatchObject({ status: 401 });
    expect(await asCaller('/gates/role', { sub: 'ada', roles: ['clerk'] }, { wrong: true })).toMatchObject(denied);
    expect(await asCaller('/gates/role', { sub: 'ada', roles: ['owner'] }, { wrong: true })).toMatchObject({
      status: 400,
      body: { code: 'input_invalid' },
    });
    const item = { name: 'Compass', maker: { email: 'a@b.ch' } };
    expect(await asCaller('/gates/role', { sub: 'ada', roles: ['owner'] }, item)).toMatchObject(passed);
    expect(await asCaller('/gates/permission', { sub: 'ada', permissions: ['items:read'] })).toMatchObject(denied);
    const both = { sub: 'ada', permissions: ['items:read', 'items:write'] };
    expect(await asCaller('/gates/permission', both)).toMatchObject(passed);
    const scope = { sub: 'ada', scope: 'items:write items:read' };
    expect(await asCaller('/gates/permission', scope)).toMatchObject(passed);
    expect(await post('/gates/require', {})).toEqual({
      status: 401,
      body: { error: 'authentication required', code: 'authentication_required' },
    });
  });

  test('S-96: a gate that cannot decide refuses', async () => {
    const refused = { status: 500, body: { code: 'expression_failed' } };
    expect(await post('/gates/filter', {})).toMatchObject(refused);
    expect(await post('/gates/undecided/filter', { kind: 'yes' })).toMatchObject(refused);
    expect(await post('/gates/undecided/accept', {})).toMatchObject(refused);
    expect(await post('/gates/undecided/accept', { limits: { highest: 'many' } })).toMatchObject(refused);
    expect(await post('/gates/undecided/when', { kind: 'tool', name: 'Undecided' })).toMatchObject(refused);
    const { status } = await post('/gates/undecided/validate', { code: 'x' });
    expect(status).toBeGreaterThanOrEqual(400);
    const { body } = await get('/shaped');
    expect((body as { label: string }[]).map(({ label }) => label)).not.toContain('UNDECIDED');
  });
});

describe('validation', () => {
  test('R-26: every field that is wrong is named, with what is wrong about it', async () => {
    expect(await post('/checked/items', { name: 'Compass', maker: { email: 'a@b.ch' }, other: 1 })).toEqual({
      status: 200,
      body: { name: 'Compass' },
    });
    const wrong = {
      name: 'C',
      kind: 'food',
      price: '3',
      code: 'x-1',
      maker: { email: 'unknown' },
      tags: ['a', 1, 'c'],
    };
    const { status, body } = await post('/checked/items', wrong);
    const { error, code, fields } = body as { error: string; code: string; fields: Record<string, string>[] };
    expect({ status, code, fields: fields.map(({ field, code: why }) => `${field} ${why}`) }).toEqual({
      status: 400,
      code: 'input_invalid',
      fields: [
        'name min_length',
        'kind enum',
        'price type_mismatch',
        'code validator',
        'maker.email format',
        'tags max_length',
        'tags[1] type_mismatch',
      ],
    });
    expect(error).toContain('name');
    expect(fields.find(({ field }) => field === 'code')?.['message']).toContain('is two letters and a number');
    expect(await post('/checked/items', { name: 'Compass', maker: null })).toMatchObject({
      status: 400,
      body: { fields: [{ field: 'maker', code: 'required' }] },
    });
  });

  test('R-26: an answer that does not match its type is a failure of the service', async () => {
    expect(await get('/checked/items/1')).toEqual({ status: 200, body: [{ id: 1, name: 'Compass', price: 12.5 }] });
    expect(await post('/checked/offers', { name: 'Watch', price: 50 })).toEqual({
      status: 200,
      body: { id: 7, name: 'Watch', price: 50 },
    });
    expect(await post('/checked/offers', { name: 'Watch', price: 51 })).toMatchObject({
      status: 500,
      body: { code: 'output_invalid', fields: [{ field: 'price', code: 'max' }] },
    });
  });

  test('an error_response shapes refused input too', async () => {
    expect(await post('/invalid-shaped', { name: 'x' })).toEqual({
      status: 422,
      body: { type: 'validation', first: 'name' },
    });
  });

  test('S-33: only what the type declares is written', async () => {
    const sent = { name: 'Globe', kind: 'tool', price: 99, role: 'admin', id: 77, headers: { a: 1 }, files: {} };
    const created = await post('/items?kind=paper&role=admin', sent);
    const { id } = created.body as { id: number };
    expect(created).toEqual({ status: 201, body: { id: expect.any(Number) } });
    const { body } = await get(`/items/${id}`);
    expect(body).toMatchObject({ item: { id, name: 'Globe', price: 99, role: 'user' } });
    expect(id).not.toBe(77);
  });

  test('S-33: the query string is never written, and a field that is not a column is refused', async () => {
    expect(await service.ask('PATCH', '/items/2?role=admin', { name: 'Octant' })).toMatchObject({
      status: 200,
      body: { affected: 1 },
    });
    expect((await get('/items/2')).body).toMatchObject({ item: { name: 'Octant', role: 'user' } });
    expect(await service.ask('PATCH', '/items/2', { colour: 'red' })).toMatchObject({
      status: 400,
      body: { code: 'value_refused' },
    });
    expect(await service.ask('PATCH', '/items/2', { name: 'Sextant' })).toMatchObject({ body: { affected: 1 } });
  });

  test('the status of an answer is what http_status_code says, when it is one', async () => {
    expect(await get('/status/418')).toEqual({ status: 418, body: { code: '418' } });
    expect(await get('/status/99')).toEqual({ status: 200, body: { code: '99' } });
    expect(await get('/items/404')).toEqual({ status: 404, body: { item: null } });
    await until(() => /WRN.*http_status_code/.test(service.log));
  });
});

describe('steps', () => {
  test('read one after another, by statement, by list and by table', async () => {
    expect(await get('/steps/1')).toEqual({
      status: 200,
      body: { name: 'Compass', price: '12.5 CHF', others: expect.any(Array), by_table: 'Compass', skipped: 0 },
    });
    const { others } = (await get('/steps/1')).body as { others: string[] };
    expect(others).toContain('Sextant');
    expect(others).not.toContain('Compass');
  });

  test('a list expands inside IN, and an empty one finds nothing', async () => {
    expect(await post('/lists', { ids: [3, 1] })).toEqual({ status: 200, body: { found: [1, 3] } });
    expect(await post('/lists', { ids: [2] })).toEqual({ status: 200, body: { found: [2] } });
    expect(await post('/lists', { ids: [] })).toEqual({ status: 200, body: { found: [] } });
    expect(await post('/lists', { ids: ['1) OR (1=1', '2'] })).toMatchObject({
      status: 400,
      body: { code: 'value_refused', fields: [{ field: 'ids' }] },
    });
  });

  test('what fails is skipped, replaced or cut off as it is written', async () => {
    remote.react = () => () => undefined;
    expect(await get('/tolerant')).toEqual({
      status: 200,
      body: {
        skip: 'empty',
        has_skip: false,
        skip_default: 'skipped',
        default: 'default',
        slow: 'too slow',
      },
    });
    expect(await get('/strict')).toMatchObject({ status: 500, body: { code: 'connector_failed' } });
    expect(await get('/impatient')).toMatchObject({ status: 500, body: { code: 'connector_timeout' } });
  });

  test('the last step answers a flow that says nothing else', async () => {
    expect(await get('/last-step')).toEqual({
      status: 200,
      body: [{ name: 'Compass' }, { name: 'Sextant' }],
    });
  });

  test('enrichments add what the transform reads; its own fields win over named ones', async () => {
    remote.react = ({ url }) => ({ body: { amount: url === '/offers/Compass' ? 10 : -1 } });
    expect(await get('/enriched/1')).toEqual({
      status: 200,
      body: { source: 'stamped', name: 'Compass', offer: 10, kind: 'tool', kept: 'stamped' },
    });
    await service.ask('GET', '/enriched/1', undefined, { 'X-Caller': 'ada' });
    expect(remote.received.map(({ headers }) => [headers['x-caller'], headers['x-absent']])).toEqual([
      ['unknown', undefined],
      ['ada', undefined],
    ]);
    remote.react = () => ({ status: 404, body: { error: 'no offer' } });
    expect(await get('/enriched/1')).toMatchObject({ status: 500, body: { code: 'upstream_error' } });
  });

  test('rows of a table are shaped one by one', async () => {
    const { body } = await get('/shaped?tag=me');
    expect((body as object[])[0]).toEqual({ label: 'COMPASS', price: 25, for: 'me' });
  });
});

describe('destinations', () => {
  test('several are written, each with its own payload, and tell what became of each', async () => {
    expect(await post('/both', { name: ' Ruler ' })).toEqual({
      status: 200,
      body: {
        results: {
          db: { id: expect.any(Number), affected: 1 },
          'audit:events': { id: 1, affected: 1 },
          'audit:strict_events': { skipped: true, reason: expect.any(String) },
        },
        errors: {},
        success: true,
      },
    });
    expect(await post('/both', { name: 'forbidden', strict: true })).toMatchObject({
      status: 200,
      body: { errors: { 'audit:strict_events': expect.stringContaining('CHECK') }, success: false },
    });
  });

  test('one that is required decides, and those in order come after it', async () => {
    expect(await post('/required', { name: 'forbidden', price: 1 })).toMatchObject({
      status: 500,
      body: { code: 'constraint_violated' },
    });
    expect(await post('/required', { name: 'Level', price: 1 })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect(await post('/required', { name: 'Level' })).toEqual({
      status: 200,
      body: {
        results: { audit: { id: 2, affected: 1 } },
        errors: { db: 'to "db": transform: price: no such key: price' },
        success: false,
      },
    });
  });

  test('a single one has a condition and a payload of its own', async () => {
    expect(await post('/conditional', {})).toEqual({
      status: 200,
      body: { skipped: true, reason: expect.any(String) },
    });
    expect(await post('/conditional', { item: 'Plumb' })).toMatchObject({ status: 200, body: { affected: 1 } });
    expect((await get('/events')).body).toContainEqual({ item: 'Plumb', kind: 'conditional' });
  });

  test('another service gets the payload in its envelope', async () => {
    remote.react = () => ({ status: 201, body: { ok: 'yes' } });
    expect(await post('/proxied/a', { name: 'Bell', other: 1 })).toEqual({ status: 202, body: { remote: 'yes' } });
    expect(remote.received.map(({ method, url, headers, body }) => [method, url, headers['x-id'], body])).toEqual([
      ['POST', '/things', 'a', '{"thing":{"name":"Bell"}}'],
    ]);
  });
});

describe('error_handling', () => {
  test('tries again while that may help', async () => {
    remote.react = () => ({ status: remote.received.length < 3 ? 503 : 200, body: { ok: true } });
    expect(await get('/retried')).toEqual({ status: 200, body: { ok: true } });
    expect(remote.received.length).toBe(3);
  });

  test('gives up after so many attempts, and at once when the answer is final', async () => {
    remote.react = () => ({ status: 503, body: { error: 'busy' } });
    expect(await get('/retried')).toMatchObject({
      status: 500,
      body: { error: expect.stringMatching(/^flow failed after 3 attempt\(s\): /), code: 'upstream_error' },
    });
    expect(remote.received.length).toBe(3);
    remote.react = () => ({ status: 404, body: { error: 'gone' } });
    expect(await get('/retried')).toMatchObject({
      status: 500,
      body: {
        error: expect.stringMatching(/^flow failed after 1 attempt\(s\) \(permanent failure, retry skipped\): /),
      },
    });
    expect(remote.received.length).toBe(4);
  });

  test('a named definition is used, and what the flow writes wins', async () => {
    remote.react = () => ({ status: 503, body: { error: 'busy' } });
    const { status, headers, body } = await service.ask('GET', '/retried-named');
    expect({ status, kind: headers['x-kind'], body }).toEqual({
      status: 503,
      kind: 'remote',
      body: { message: 'try later', cause: expect.stringContaining('after 4 attempt(s)'), code: 503, type: 'http' },
    });
    expect(remote.received.length).toBe(4);
  });

  test('a message that failed goes to the fallback, and the caller is answered', async () => {
    remote.react = () => ({ status: 500, body: {} });
    expect(await post('/parked', { name: 'Kept' })).toMatchObject({
      status: 500,
      body: { error: expect.stringContaining(', sent to fallback') },
    });
    const [row] = (await get('/failed')).body as { original_input: string; error: string }[];
    expect(JSON.parse(row!.original_input)).toEqual({ name: 'Kept' });
    expect(JSON.parse(row!.error)).toEqual({
      message: expect.any(String),
      flow_name: 'parked',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(await post('/parked-shaped', { name: 'Shaped' })).toEqual({
      status: 502,
      body: { parked: true, name: 'Shaped' },
    });
    expect((await get('/failed-shaped')).body).toEqual([{ name: 'Shaped', why: 'http' }]);
  });
});
