import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { inDirectory } from '../../cli/testing/typed.ts';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { CallDescription } from '../../foundation/contracts/target.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { compilePlan } from '../plan/compile.ts';
import { planServices } from '../plan/testing/plan-services.ts';
import { messageOf } from '../plan/testing/service.ts';
import { mockedPlan, namesOf } from './mocked-plan.ts';
import { type MockFlags, mockedNames, noFlags } from './mocking.ts';

const connectors = `connector "api" {
  type = "rest"
  port = 0
}
connector "db" {
  type     = "database"
  driver   = "postgres"
  url      = "postgres://nowhere.invalid/orders"
}
connector "store" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}
connector "bank" {
  type     = "http"
  base_url = "http://nowhere.invalid"
}
connector "far" {
  type   = "cache"
  driver = "redis"
  url    = "redis://nowhere.invalid"
}
flow "find" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`;

interface Mocked {
  readonly names: readonly string[];
  readonly clock: ManualClock;
  /** A connector as flows get it. */
  connector(name: string): Promise<Connector>;
  call(name: string, call: Partial<CallDescription>, input?: object): Promise<CallResult>;
  run(flow: string, input: Readonly<Record<string, unknown>>): unknown;
}

function mocked<T>(
  files: Readonly<Record<string, unknown>>,
  block: string,
  flags: MockFlags,
  use: (mocked: Mocked) => Promise<T>,
): Promise<T> {
  const texts = Object.fromEntries(
    Object.entries(files).map(([path, value]) => [`mocks/${path}.json`, JSON.stringify(value)]),
  );
  return inDirectory({ 'a.hcl': connectors + block, ...texts }, async (directory) => {
    const options = { environment: {}, workingDirectory: directory, tests: false, workers: 1, mocking: flags };
    const { project, engine, recordings, diagnostics } = await loadConfiguration(directory, options);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const compiled = compilePlan(project, { engine });
    const plan = recordings ? mockedPlan(compiled, recordings, flags) : compiled;
    const names = recordings ? mockedNames(project, recordings, flags) : [];
    const clock = new ManualClock();
    const services = connectorServices({ clock });
    const made = new Map<string, Connector>();
    const connector = async (name: string) => {
      let one = made.get(name);
      if (one === undefined) {
        one = (await plan.connectors.find((planned) => planned.name === name)?.make(services)) as Connector;
        made.set(name, one);
        await one.open(new AbortController().signal);
      }
      return one;
    };
    const use_ = await use({
      names,
      clock,
      connector,
      call: async (name, call, input = {}) => {
        const described = {
          verb: 'read',
          exact: false,
          flow: 'f',
          label: 'l',
          ...call,
        } as CallDescription;
        const execute = (await connector(name)).target?.prepare(described);
        return (await execute?.({ filters: input as never })) as CallResult;
      },
      run: (flow, input) => plan.bind(made, planServices({ clock })).flows.get(flow)?.(messageOf(input)),
    });
    for (const one of made.values()) await one.close();
    return use_;
  });
}

const enabled = 'mocks {\n  enabled = true\n}\n';
const flags = (mock: readonly string[], noMock: readonly string[] = []): MockFlags => ({ mock, noMock });
const orders = { 'connectors/db/orders': { data: [{ id: 1 }] }, 'connectors/bank/GET_rates': { data: { usd: 1 } } };

test('what a search is answered is a list, as the connector gives it', async () => {
  const block = 'connector "books" {\n  type = "search"\n}\n';
  const files = { 'connectors/books/library': { data: { title: 'emma' } } };
  await mocked(files, block, flags(['books']), async ({ call }) => {
    const target = 'library';
    expect(await call('books', { operation: 'search', target })).toEqual({ rows: [{ title: 'emma' }], isList: true });
    expect(await call('books', { operation: 'get', target })).toEqual({ rows: [{ title: 'emma' }] });
    expect(await call('books', { operation: 'search', target: 'none' })).toEqual({ rows: [], isList: true });
  });
});

describe('which connectors are mocked', () => {
  const names = (block: string, given: MockFlags, files: object = orders) =>
    mocked(files as never, block, given, async (one) => one.names.map((name) => /"(.*)"/.exec(name)?.[1]));

  test('by the block: those that have a recording, or those that it lists', async () => {
    expect(await names('', noFlags)).toEqual([]);
    expect(await names('mocks {\n}\n', noFlags)).toEqual([]);
    expect(await names(enabled, noFlags)).toEqual(['db', 'bank']);
    const listed =
      'mocks {\n  enabled = true\n  connectors {\n    db    = { enabled = false }\n    store = {}\n  }\n}\n';
    expect(await names(listed, noFlags)).toEqual(['store']);
  });

  test('flags win over the block, and --no-mock over --mock', async () => {
    expect(await names('', flags(['store']))).toEqual(['store']);
    expect(await names('', flags(['all']))).toEqual(['db', 'store', 'bank', 'far']);
    expect(await names(enabled, flags(['store'], ['db']))).toEqual(['store', 'bank']);
    expect(await names(enabled, flags(['all'], ['all']))).toEqual([]);
  });

  test('names that no connector has, and connectors that only take messages, are errors', () =>
    inDirectory({ 'a.hcl': connectors }, async (directory) => {
      const load = { environment: {}, workingDirectory: directory, tests: false, workers: 1 };
      const { diagnostics } = await loadConfiguration(directory, {
        ...load,
        mocking: flags(['bd', 'api'], ['api', 'x']),
      });
      expect(
        diagnostics
          .filter(({ severity }) => severity === 'error')
          .map(({ file, message, help }) => [file, message, help?.slice(0, 17)]),
      ).toEqual([
        ['--mock', '--mock names "bd", and there is no such connector', 'Did you mean "db"'],
        ['--mock', '--mock names "api", which only takes messages: there is nothing to mock', 'These exist: api,'],
        ['--no-mock', '--no-mock names "x", and there is no such connector', 'These exist: api,'],
      ]);
    }));
});

test('names of the files that may answer a call', () => {
  const call = {
    connector: 'c',
    verb: 'read',
    operation: 'SELECT',
    target: '',
    query: '',
    input: {},
    exact: false,
  } as const;
  expect(namesOf({ ...call, target: 'orders' })).toEqual(['orders']);
  expect(namesOf({ ...call, target: '/public/Big Orders.v1:x' })).toEqual(['public_Big_Orders_v1x']);
  expect(namesOf({ ...call, query: 'SELECT 1' })).toEqual(['query']);
  expect(namesOf({ ...call, verb: 'call', operation: 'get /loans/:id' })).toEqual(['GET_loans_id']);
  const method = { ...call, verb: 'call', operation: 'shop.Orders/GetOrder' } as const;
  expect(namesOf(method)).toEqual(['shop_Orders_GetOrder']);
});

describe('answers', () => {
  test('rows, bodies, and what a write gave', () =>
    mocked(
      {
        'connectors/db/orders': { data: [{ id: 1 }] },
        'connectors/db/query': { data: { id: 9 }, affected: 3 },
        'connectors/bank/POST_charges': { data: { ok: true } },
      },
      enabled,
      noFlags,
      async ({ call }) => {
        expect(await call('db', { target: 'orders' })).toEqual({ rows: [{ id: 1 }] });
        expect(await call('db', { target: 'orders', exact: true })).toEqual({ rows: [{ id: 1n }] });
        expect(await call('db', { verb: 'update', query: 'UPDATE a' })).toEqual({ affected: 3, id: 9 });
        expect(await call('bank', { verb: 'call', operation: 'POST /charges' })).toEqual({ value: { ok: true } });
      },
    ));

  test('the first that holds, else the default; what cannot be evaluated does not hold', () =>
    mocked(
      {
        'connectors/db/orders': {
          responses: [
            { when: 'input.id.missing == 1', data: [{ n: 0 }] },
            { when: 'input.id == 1', data: [{ n: 1 }] },
            { default: true, data: [{ n: 2 }] },
            { when: 'input.id > 1', error: 'gone', status: 410 },
          ],
        },
      },
      enabled,
      noFlags,
      async ({ call }) => {
        expect(await call('db', { target: 'orders' }, { id: 1 })).toEqual({ rows: [{ n: 1 }] });
        expect(await call('db', { target: 'orders' }, {})).toEqual({ rows: [{ n: 2 }] });
        await expect(call('db', { target: 'orders' }, { id: 2 })).rejects.toMatchObject({
          code: 'upstream_error',
          upstream: { status: 410, body: 'gone' },
        });
      },
    ));

  test('a connector that a flag alone mocks answers nothing, and a far cache is kept here', () =>
    mocked({}, '', flags(['all']), async ({ call, connector }) => {
      expect(await call('db', { target: 'orders' })).toEqual({ rows: [] });
      expect(await call('db', { verb: 'create', target: 'orders' })).toEqual({ affected: 1 });
      const { storage } = await connector('far');
      await storage?.set('a', '1', undefined);
      expect(await storage?.get('a')).toBe('1');
    }));

  test('without a recording the real connector is opened and asked', () =>
    mocked({ 'connectors/store/orders': { data: [] } }, enabled, noFlags, async ({ call, connector }) => {
      const { target } = await connector('store');
      expect(await call('store', { query: 'SELECT 1 AS one' })).toEqual({ rows: [{ one: 1 }] });
      const read = await target?.transactions?.run(async (statements) => {
        await statements.execute('CREATE TABLE a (b)', {});
        await statements.execute('INSERT INTO a VALUES (:b)', { b: 2 });
        return statements.execute('SELECT b FROM a', {});
      }, undefined);
      expect(read).toEqual({ rows: [{ b: 2n }] });
      await expect(
        target?.transactions?.run(async (statements) => {
          await statements.execute('INSERT INTO a VALUES (3)', {});
          throw new Error('not today');
        }, undefined),
      ).rejects.toThrow('not today');
      expect(await call('store', { query: 'SELECT count(*) AS n FROM a' })).toEqual({ rows: [{ n: 1 }] });
    }));

  test('latency and delay wait, fail_rate fails', () =>
    mocked(
      { 'connectors/db/orders': { responses: [{ data: [], delay: '50ms' }] } },
      'mocks {\n  enabled = true\n  connectors {\n    db   = { latency = "100ms" }\n    bank = { fail_rate = 100 }\n  }\n}\n',
      noFlags,
      async ({ call, clock }) => {
        let answered = false;
        const asked = call('db', { target: 'orders' }).then(() => {
          answered = true;
        });
        await expect.poll(() => clock.sleeping).toBe(1);
        await clock.pass(149);
        expect(answered).toBe(false);
        await clock.pass(1);
        await asked;
        await expect(call('bank', { verb: 'call', operation: 'GET /x' })).rejects.toMatchObject({
          code: 'connector_failed',
        });
      },
    ));

  test('a recording answers in place of a whole flow', () =>
    mocked(
      {
        'flows/find': {
          responses: [
            { when: "input.id == '1'", data: { found: true } },
            { when: "input.id == '2'", error: 'gone', status: 410 },
            { when: "input.id == '3'", error: 'broken' },
          ],
        },
      },
      enabled,
      noFlags,
      async ({ names, run }) => {
        expect(names).toEqual(['flow "find"']);
        expect(run('find', { id: '1' })).toEqual({ kind: 'reply', value: { found: true }, status: undefined });
        expect(run('find', { id: '2' })).toMatchObject({ kind: 'failed', value: { error: 'gone' }, status: 410 });
        expect(() => run('find', { id: '3' })).toThrow('broken');
        expect(() => run('find', { id: '4' })).toThrow('no response of mocks/flows/find.json is for this message');
      },
    ));
});

test('files that are wrong, and files for nothing, are reported with their place', () =>
  inDirectory(
    {
      'a.hcl': `${connectors}mocks {\n  path = "./recorded"\n}\n`,
      'recorded/connectors/db/orders.json': '{"data": [}',
      'recorded/connectors/db/lines.json': '{"responses": [{"when": "input.x =="}]}',
      'recorded/connectors/bd/orders.json': '{}',
      'recorded/flows/fnd.json': '{}',
    },
    async (directory) => {
      const options = { environment: {}, workingDirectory: directory, tests: true, workers: 1 };
      const { diagnostics } = await loadConfiguration(directory, options);
      expect(
        diagnostics
          .filter(({ file }) => file.endsWith('json') || file.startsWith('recorded'))
          .map(({ severity, file, message, help }) => [severity, file, message, help]),
      ).toEqual([
        ['error', 'recorded/connectors/db/lines.json', expect.stringMatching(/^when of a response: /), undefined],
        [
          'error',
          'recorded/connectors/db/orders.json',
          expect.stringMatching(/^the recording is not valid JSON/),
          undefined,
        ],
        ['warning', 'recorded/connectors/bd', 'there is no connector named "bd" to record', 'Did you mean "db"?'],
        ['warning', 'recorded/flows/fnd.json', 'there is no flow named "fnd" to record', 'Did you mean "find"?'],
      ]);
    },
  ));

test('outside development it is reported at start', () =>
  inDirectory({ 'a.hcl': connectors + enabled, 'mocks/connectors/db/orders.json': '{}' }, async (directory) => {
    const options = { environment: {}, workingDirectory: directory, workers: 1 };
    const warnings = async (group: 'production' | 'development') =>
      (await loadConfiguration(directory, { ...options, tests: false, group })).diagnostics
        .filter(({ severity }) => severity === 'warning')
        .map(({ message }) => message);
    expect(await warnings('production')).toContain(
      'connector "db" answers from mocks, in an environment that is not development',
    );
    expect(await warnings('development')).toEqual([]);
  }));
