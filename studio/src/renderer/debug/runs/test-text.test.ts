import { expect, test } from 'vitest';
import { newThread, ruleKey, type Thread } from '../session/thread.ts';
import { wholeness } from './kept-whole.ts';
import { testOf } from './test-text.ts';

const rule = (target: string, expression: string, result: unknown, stage = 'transform') =>
  [ruleKey(stage, target, 0), { stage, name: '', index: 0, target, expression, result, error: '' }] as const;

const stage = { name: '', startUs: 0, durationUs: 5, pausedUs: 0, error: '' };
const id = '6f1c2e0a-0000-4000-8000-000000000000';
const headers = { host: 'a', 'x-tenant': 'acme', authorization: '***' };

function run(part: Partial<Thread>): Thread {
  return { ...newThread('a', 1, 'order', { item: 'a ${b}', headers }, 1), ...part };
}

test('a run becomes a test: its input, a mock for each call, what came of it, and the clock that it read', () => {
  const values = new Map([
    rule('id', 'uuid()', id),
    rule('at', 'now()', '2026-03-01T08:00:00.5Z'),
    rule('http_status_code', '201', '201', 'response'),
  ]);
  const ended = { output: { id, ok: true }, error: '', durationUs: 9, dropped: undefined };
  const price = { ...stage, stage: 'step', input: {}, output: { euro: 4 } };
  const write = { ...stage, stage: 'write', input: { id, item: 'x' }, output: { affected: 1 } };
  const calls = [
    { connector: 'shop', run: price, writes: false },
    { connector: 'db', run: write, writes: true },
  ];
  expect(testOf(run({ values, ended }), calls, 'an order')).toBe(`test "an order" {
  flow  = "order"
  clock = "2026-03-01T08:00:00.5Z"
  input = {
    item = "a $\${b}"
  }

  mock "shop" {
    result = {
      euro = 4
    }
    times  = 1
  }

  mock "db" {
    result = {
      affected = 1
    }
    times  = 1
  }

  expect {
    status = 201
    output = {
      id = cel("size(value) == 36")
      ok = true
    }

    call "db" {
      params = {
        id = cel("size(value) == 36")
        item = "x"
      }
    }
  }
}
`);
});

test('a failure, a drop and a call that failed are expected by what was said', () => {
  const failed = { output: null, error: 'no "row"', durationUs: 9, dropped: undefined };
  const calls = [{ connector: 'db', run: { ...stage, stage: 'write', error: 'no "row"' }, writes: true }];
  expect(testOf(run({ ended: failed }), calls, 'x')).toContain('    error = "no \\"row\\""\n    times  = 1');
  expect(testOf(run({ ended: failed }), calls, 'x')).toMatch(/expect \{\n {4}error = "no \\"row\\""\n {2}\}/);
  const dropped = { reason: 'accept', decidedBy: 'accept', expression: 'x', policy: 'ack', values: {} };
  const ended = { output: null, error: '', durationUs: 9, dropped };
  expect(testOf(run({ ended }), [], 'x')).toMatch(/expect \{\n {4}dropped = "accept"\n {2}\}/);
});

test('headers are part of the input where a rule reads them, without those of the way and without credentials', () => {
  const values = new Map([rule('tenant', "input.headers['x-tenant']", 'acme')]);
  const text = testOf(run({ values }), [], 'x');
  expect(text).toContain('    headers = {\n      x-tenant = "acme"\n    }');
  expect(text).not.toMatch(/host|authorization|\*\*\*/);
});

test('no credential of a run is written down, also where the service shows it', () => {
  const input = { name: 'Ada', password: 'p-1', api_key: 'k-1', inner: [{ client_secret: 's-1', token: 't-1' }] };
  const ended = { output: { access_token: 'a-1', ok: true }, error: '', durationUs: 9, dropped: undefined };
  const write = { ...stage, stage: 'write', input: { password: 'p-1', id: 4 }, output: { secret: 's-2' } };
  const text = testOf(run({ input, ended }), [{ connector: 'db', run: write, writes: true }], 'x');
  expect(text).not.toMatch(/[pksta]-\d/);
  expect(text).toContain('name = "Ada"');
  expect(text).toContain('output_has = {\n      ok = true\n    }');
});

test.each([
  [{ a: ['x', '… 12 more'] }, { isCut: true, isMasked: false }],
  [{ a: { '…': '3 more' } }, { isCut: true, isMasked: false }],
  [{ a: 'long… (5000 characters)' }, { isCut: true, isMasked: false }],
  [{ a: { b: '{…}' } }, { isCut: true, isMasked: false }],
  [{ a: [{ token: '***' }] }, { isCut: false, isMasked: true }],
  [
    { a: [1, null, 'x…'], b: true },
    { isCut: false, isMasked: false },
  ],
])('%j: what was cut or masked is known', (value, found) => {
  expect(wholeness(value)).toEqual(found);
});
