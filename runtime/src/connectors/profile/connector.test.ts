import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConnectorDeclaration } from '@svc/protocol/model';
import { afterEach, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices, recordingLog } from '../../../../test/support/connector-services.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { ProfileObserver } from '../../foundation/contracts/observer.ts';
import type { CallDescription, CallRequest, Execute, Verb } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { create as createMemory } from '../cache/memory/connector.ts';
import { memoryCache } from '../cache/memory/spec.ts';
import { create as createHttp } from '../http/connector.ts';
import { http } from '../http/spec.ts';
import { type Profile, ProfiledConnector } from './connector.ts';
import { checkProfiles } from './rules.ts';
import type { SelectionOptions } from './selection.ts';
import { profiled } from './spec.ts';

const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function peer(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A peer that answers every request with one status and counts them. */
async function answering(status: number) {
  const counted = { asked: 0, url: '' };
  counted.url = await peer((_request, response) => {
    counted.asked++;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ status }));
  });
  return counted;
}

function client(name: string, base_url: string, more: Partial<Profile> = {}): Profile {
  return {
    name,
    connector: createHttp(name, configured(http.config, { base_url, timeout: 1_000 }), connectorServices()),
    ...more,
  };
}

function stub(name: string, parts: Partial<Connector> = {}): Profile {
  const connector: Connector = { name, open: async () => {}, close: async () => {}, ...parts };
  return { name, connector };
}

function profiledBy(profiles: readonly Profile[], selection: Partial<SelectionOptions> = {}) {
  const events: string[] = [];
  const log = recordingLog();
  const observer: ProfileObserver = {
    selected: (connector, profile) => events.push(`${connector} selected ${profile}`),
    requested: (_connector, profile, error) => events.push(`${profile} ${error ?? 'ok'}`),
    fellBack: (_connector, from, to) => events.push(`${from} -> ${to}`),
  };
  const options = { select: undefined, default: profiles[0]?.name, fallback: [], ...selection };
  const connector = new ProfiledConnector('api', profiles, options, { ...connectorServices(), log }, observer);
  cleanups.push(() => connector.close());
  return { connector, events, log };
}

function call(
  connector: ProfiledConnector,
  verb: Verb,
  request: CallRequest = {},
  more: Partial<CallDescription> = {},
) {
  const execute = connector.prepare({
    verb,
    operation: undefined,
    target: '/x',
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'to',
    ...more,
  });
  return Promise.resolve(execute(request));
}

async function failure(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

test('what editors show of the server is that of the profile in use', async () => {
  const knowing = (name: string) =>
    stub(name, { knownTargets: async () => [{ name: `${name}_orders`, kind: 'table' }] });
  const { connector } = profiledBy([knowing('a'), knowing('b')], { default: 'b' });
  expect(await connector.knownTargets(never)).toEqual([]);
  await connector.open(never);
  expect(await connector.knownTargets(never)).toEqual([{ name: 'b_orders', kind: 'table' }]);
});

test('R-38: 5xx, a refused connection and silence fall over, in the order that is written', async () => {
  const broken = await answering(503);
  const silent = await peer(() => {});
  const good = await answering(200);
  const { connector, events } = profiledBy(
    [client('a', broken.url), client('b', 'http://127.0.0.1:1'), client('c', silent), client('d', good.url)],
    { fallback: ['b', 'a', 'c', 'd'] },
  );
  await connector.open(never);
  expect(await call(connector, 'read')).toEqual({ rows: [{ status: 200 }] });
  expect(events).toEqual([
    'api selected a',
    'a upstream_error',
    'a -> b',
    'b connector_refused',
    'b -> c',
    'c connector_timeout',
    'c -> d',
    'd ok',
  ]);
});

test('R-38: a refused request is refused once, whatever it does', async () => {
  for (const status of [400, 404, 409, 422, 429]) {
    const first = await answering(status);
    const second = await answering(200);
    const { connector } = profiledBy([client('a', first.url), client('b', second.url)], { fallback: ['b'] });
    await connector.open(never);
    for (const verb of ['read', 'create', 'delete', 'call'] as const) {
      expect((await failure(call(connector, verb, { payload: { a: 1 } }))).upstream?.status).toBe(status);
    }
    expect([first.asked, second.asked]).toEqual([4, 0]);
  }
});

test('R-38: a failure of a peer that is available does not fall over', async () => {
  for (const code of [
    'connector_failed',
    'outcome_unknown',
    'value_refused',
    'constraint_violated',
    'cancelled',
  ] as const) {
    const refuse = () => Promise.reject(new Failure(code, 'no'));
    const { connector, events } = profiledBy(
      [
        stub('a', { target: { prepare: () => refuse } }),
        stub('b', { target: { prepare: () => () => ({ rows: [] }) } }),
      ],
      { fallback: ['b'] },
    );
    await connector.open(never);
    expect((await failure(call(connector, 'create'))).code).toBe(code);
    expect(events).toEqual(['api selected a', `a ${code}`]);
  }
});

test('when all profiles fail there is one failure, which keeps the last answer', async () => {
  const [one, two] = [await answering(500), await answering(502)];
  const { connector } = profiledBy([client('a', one.url), client('b', two.url)], { fallback: ['a', 'b'] });
  await connector.open(never);
  const failed = await failure(call(connector, 'read'));
  expect(failed).toMatchObject({
    code: 'upstream_error',
    message: 'all profiles failed for connector api: HTTP 502: 502 Bad Gateway - {"status":502}',
    upstream: { status: 502 },
    retriable: true,
  });
  expect((failed.cause as AggregateError).errors.map((each: Failure) => each.upstream?.status)).toEqual([500, 502]);
});

test('a message chooses; nothing or an unknown name means the default, and a failing `select` refuses', async () => {
  const used: string[] = [];
  const named = (name: string) => stub(name, { target: { prepare: () => () => ({ value: used.push(name) }) } });
  const select = ({ input }: { input: Readonly<Record<string, unknown>> }) => {
    if (input['tenant'] === 'bad') throw new Error('no such key');
    return input['tenant'];
  };
  const { connector, events, log } = profiledBy([named('eu'), named('us')], { select, default: 'us' });
  await connector.open(never);
  for (const tenant of ['eu', 'us', '', null, 'mars', 'mars']) await call(connector, 'call', { input: { tenant } });
  expect(used).toEqual(['eu', 'us', 'us', 'us', 'us', 'us']);
  expect(log.lines.map(({ message, fields }) => [message, fields['selected']])).toEqual([
    ['select names no profile', 'mars'],
  ]);
  expect(events.filter((event) => event.includes('selected'))).toEqual([
    'api selected us',
    'api selected eu',
    'api selected us',
  ]);
  expect((await failure(call(connector, 'call', { input: { tenant: 'bad' } }))).message).toBe('no such key');
  expect(used.length).toBe(6);
});

test('without a default a choice of nothing is refused', async () => {
  const { connector } = profiledBy([stub('a', { target: { prepare: () => () => ({}) } })], {
    select: () => '',
    default: undefined,
  });
  await connector.open(never);
  expect((await failure(call(connector, 'call'))).message).toBe('connector "api": no profile is selected');
});

test('an idle profile that cannot open only logs a warning, and is skipped later', async () => {
  const away = stub('b', { open: () => Promise.reject(new Failure('connector_refused', 'away')) });
  const good = await answering(200);
  const { connector, log, events } = profiledBy([client('a', 'http://127.0.0.1:1'), away, client('c', good.url)], {
    fallback: ['b', 'c'],
  });
  await connector.open(never);
  expect(log.lines).toEqual([
    { level: 'warn', message: 'a profile cannot be used', fields: { profile: 'b', reason: 'away' } },
  ]);
  expect(await call(connector, 'read')).toEqual({ rows: [{ status: 200 }] });
  expect(events.slice(1)).toEqual(['a connector_refused', 'a -> b', 'b connector_refused', 'b -> c', 'c ok']);
});

test('the profile to be used must open, and the others are closed again when it does not', async () => {
  let closed = 0;
  const { connector } = profiledBy(
    [
      stub('a', { open: () => Promise.reject(new Failure('store_unavailable', 'away')) }),
      stub('b', { close: async () => void closed++ }),
    ],
    { fallback: ['b'] },
  );
  expect(await failure(connector.open(never))).toMatchObject({
    code: 'store_unavailable',
    message: 'profile "a": away',
  });
  expect(closed).toBe(1);
});

test('transform maps what is read and what a call answers, and leaves writes alone', async () => {
  const { url } = await answering(200);
  const transform = [
    { name: 'code', evaluate: ({ input }: { input: Readonly<Record<string, unknown>> }) => `s${input['status']}` },
  ];
  const { connector } = profiledBy([client('a', url, { transform })]);
  await connector.open(never);
  expect(await call(connector, 'read')).toEqual({ rows: [{ code: 's200' }] });
  expect(await call(connector, 'call')).toEqual({ value: { code: 's200' } });
  expect(await call(connector, 'create', { payload: { a: 1 } })).toEqual({ rows: [{ status: 200 }], affected: 1 });
});

test('operations are resolved by each profile', async () => {
  const seen: string[] = [];
  const url = await peer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.writeHead(seen.length === 1 ? 500 : 200).end();
  });
  const own = (path: string) => (description: CallDescription) => ({
    call: { ...description, operation: `GET ${path}` },
    prepare: (execute: Execute) => execute,
  });
  const { connector } = profiledBy([client('a', url, { own: own('/old') }), client('b', url, { own: own('/new') })], {
    fallback: ['b'],
  });
  await connector.open(never);
  await call(connector, 'call', {}, { operation: 'find' });
  expect(seen).toEqual(['GET /old', 'GET /new']);
});

test('health and storage are those of the profile in use', async () => {
  const memory = createMemory('m', configured(memoryCache.config), connectorServices());
  const sick = stub('b', { check: () => Promise.reject(new Failure('connector_refused', 'sick')) });
  const { connector } = profiledBy([{ name: 'a', connector: memory }, sick]);
  await connector.open(never);
  await connector.check(never);
  connector.storage?.set('k', 'v', undefined);
  expect(connector.storage?.get('k')).toBe('v');
  const other = profiledBy([sick]);
  await other.connector.open(never);
  expect((await failure(other.connector.check(never))).message).toBe('sick');
});

test('names that no profile has are reported with the place', () => {
  const values = configured(profiled, { default: 'prod', fallback: ['prdo', 'x'] });
  const declaration = { name: 'api', values, profiles: new Map([['prod', {}]]) } as unknown as ConnectorDeclaration;
  expect(checkProfiles(declaration).map(({ code, message, file, help }) => ({ code, message, file, help }))).toEqual([
    {
      code: 'unknown-profile',
      message: 'connector "api" has no profile "prdo"',
      file: 'test.hcl',
      help: 'Did you mean "prod"?',
    },
    {
      code: 'unknown-profile',
      message: 'connector "api" has no profile "x"',
      file: 'test.hcl',
      help: 'Write one of prod.',
    },
  ]);
});
