import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

let service: Scenario;
let remote: Upstream;

beforeAll(async () => {
  remote = await startUpstream();
  service = await startScenario(import.meta.dirname, { env: { REMOTE_URL: remote.address } });
});

afterAll(async () => {
  await service?.end();
  await remote?.close();
});

beforeEach(() => {
  remote.received.length = 0;
  remote.react = () => ({ body: { amount: 3 } });
});

const statusAndBody = ({ status, body }: Answer) => ({ status, body });
const get = async (path: string) => statusAndBody(await service.ask('GET', path));
const post = async (path: string, body: object) => statusAndBody(await service.ask('POST', path, body));

describe('parameters', () => {
  const standard = {
    shop: 'bern',
    limit: 20,
    is_int: true,
    doubled: 3,
    open: 'open',
    kind: 'tool',
    text: 'abc',
    request: 'none',
  };

  test('have defaults, for what is absent or empty', async () => {
    expect(await get('/shops/bern/things?text=abc')).toEqual({ status: 200, body: standard });
    expect(await get('/shops/bern/things?text=abc&limit=&kind=')).toEqual({ status: 200, body: standard });
  });

  test('are converted to their type', async () => {
    const query = 'text=12&limit=7&factor=2.25&open=0&kind=paper';
    const answer = await service.ask('GET', `/shops/bern/things?${query}`, undefined, { 'Request-Id': 'r1' });
    expect(statusAndBody(answer)).toEqual({
      status: 200,
      body: {
        ...standard,
        limit: 7,
        doubled: 4.5,
        open: 'closed',
        kind: 'paper',
        text: '12',
        request: 'r1',
      },
    });
    expect((await get('/shops/bern/things?text=abc&request_id=forged')).body).toEqual(standard);
  });

  test('that are wrong are refused together, each by name', async () => {
    const query = 'limit=101&factor=many&open=perhaps&kind=food&text=x';
    expect(await get(`/shops/Bern1/things?${query}`)).toEqual({
      status: 400,
      body: {
        error:
          'invalid parameters: factor: must be a number; kind: must be one of tool, paper; limit: must be at most 100; ' +
          'open: must be true or false; shop: does not match the required pattern; text: must have at least 2 characters',
        code: 'parameters_invalid',
        fields: [
          { field: 'factor', code: 'type_mismatch', message: 'must be a number' },
          { field: 'kind', code: 'enum', message: 'must be one of tool, paper' },
          { field: 'limit', code: 'max', message: 'must be at most 100' },
          { field: 'open', code: 'type_mismatch', message: 'must be true or false' },
          { field: 'shop', code: 'pattern', message: 'does not match the required pattern' },
          { field: 'text', code: 'min_length', message: 'must have at least 2 characters' },
        ],
      },
    });
    expect(await get('/shops/bern/things?text=abcdef&limit=1.5')).toMatchObject({
      status: 400,
      body: {
        fields: [
          { field: 'limit', code: 'type_mismatch' },
          { field: 'text', code: 'max_length' },
        ],
      },
    });
    expect(await get('/shops/bern/things')).toMatchObject({
      status: 400,
      body: { fields: [{ field: 'text', code: 'required' }] },
    });
  });

  test('of a body too', async () => {
    expect(await post('/things', { name: 'Bell', code: 1 })).toEqual({
      status: 200,
      body: { name: 'Bell', code: 1, tags: ['new'] },
    });
    expect(await post('/things', { name: 'Bell', code: 1, tags: ['a', 'b', 'c'], size: 'large' })).toMatchObject({
      status: 400,
      body: {
        fields: [
          { field: 'size', code: 'type_mismatch' },
          { field: 'tags', code: 'max_length' },
        ],
      },
    });
  });
});

describe('an operation that triggers', () => {
  test('checks what comes in and what goes out', async () => {
    expect(await post('/things', { name: 'B', code: 1 })).toMatchObject({
      status: 400,
      body: { code: 'input_invalid', fields: [{ field: 'name', code: 'min_length' }] },
    });
    expect(await post('/things', { name: 'Bell', code: 10 })).toMatchObject({
      status: 500,
      body: { code: 'output_invalid', fields: [{ field: 'code', code: 'max' }] },
    });
  });

  test('ends with its time', async () => {
    remote.react = () => () => undefined;
    const { status, body } = await get('/slow');
    expect([status, (body as { code: string }).code]).toEqual([503, 'request_timeout']);
  });
});

describe('an operation that is called', () => {
  test('ends with its time', async () => {
    remote.react = () => () => undefined;
    const late = { status: 500, body: { code: 'connector_timeout' } };
    expect(await get('/price?sku=A')).toMatchObject(late);
    expect(await post('/price', { sku: 'A' })).toMatchObject(late);
    expect(await get('/price-enriched?sku=A')).toMatchObject(late);
  });

  test('checks what is sent, and sends nothing that does not fit', async () => {
    expect(await get('/price?sku=A')).toEqual({ status: 200, body: { amount: 3 } });
    expect(await post('/price', { sku: 'A' })).toEqual({ status: 200, body: { amount: 3 } });
    expect(await get('/price-enriched?sku=A')).toEqual({ status: 200, body: { amount: 3 } });
    expect(remote.received.length).toBe(3);
    for (const answer of [
      await get('/price?sku=a'),
      await post('/price', { sku: 'a' }),
      await get('/price-enriched?sku=a'),
    ])
      expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(remote.received.length).toBe(3);
  });

  test('fills in, converts and checks its own parameters', async () => {
    const page = (first: number, limit: number) => ({ first, beyond: first + limit, type: 'integer' });
    expect(await get('/page')).toEqual({ status: 200, body: [page(0, 10)] });
    expect(await get('/page?from=5&limit=7')).toEqual({ status: 200, body: [page(5, 7)] });
    expect(await get('/page?from=x&limit=51')).toMatchObject({
      status: 400,
      body: {
        code: 'parameters_invalid',
        fields: [
          { field: 'from', code: 'type_mismatch' },
          { field: 'limit', code: 'max' },
        ],
      },
    });
    expect(await get('/page-step?from=3')).toEqual({ status: 200, body: { beyond: 13, from: '3' } });
    await get('/offer?sku=A');
    await get('/offer?sku=A&currency=EUR');
    expect((await get('/offer?sku=a')).status).toBe(400);
    expect(remote.received.map(({ url }) => url)).toEqual(['/offers/A?currency=CHF', '/offers/A?currency=EUR']);
  });

  test('checks what comes back', async () => {
    remote.react = () => ({ body: { amount: -3 } });
    const wrong = { status: 500, body: { code: 'output_invalid' } };
    expect(await get('/price?sku=A')).toMatchObject(wrong);
    expect(await post('/price', { sku: 'A' })).toMatchObject(wrong);
    expect(await get('/price-enriched?sku=A')).toMatchObject(wrong);
    expect(await get('/price-tolerant?sku=A')).toEqual({ status: 200, body: { amount: -1 } });
    expect(await get('/double/4')).toEqual({ status: 200, body: [{ doubled: 8 }] });
    expect(await get('/double/51')).toMatchObject(wrong);
  });
});
