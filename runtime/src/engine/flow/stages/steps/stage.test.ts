import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { type Call, serve } from '../../../plan/testing/service.ts';

const flow = (steps: string, rest = '') => `flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  ${steps}
  ${rest}
}`;
const user = (extra = '') => `step "user" {
    connector = "db"
    query     = "SELECT * FROM users WHERE id = :id"
    params    = { id = "input.id" }
    ${extra}
  }`;
const asked = ({ description, filters, payload, params, target }: Call) => ({
  verb: description.verb,
  operation: description.operation,
  target: target ?? description.target,
  query: description.query,
  filters,
  payload,
  params,
});

describe('a step', () => {
  test('reads by query; one row is itself, none is null, several are a list', async () => {
    let rows: Record<string, unknown>[] = [{ name: 'Ann' }];
    const service = await serve(flow(user()), { answer: () => ({ rows }) });
    expect(service.deliver('f', { id: 1 })).toMatchObject({ value: { name: 'Ann' } });
    rows = [];
    expect(service.deliver('f', { id: 1 })).toMatchObject({ value: null });
    rows = [{ name: 'A' }, { name: 'B' }];
    expect(service.deliver('f', { id: 1 })).toMatchObject({ value: rows });
    expect(service.calls.map(asked)[0]).toEqual({
      verb: 'read',
      operation: undefined,
      target: undefined,
      query: 'SELECT * FROM users WHERE id = :id',
      filters: undefined,
      payload: undefined,
      params: { id: 1 },
    });
  });

  test('sees the steps before it, and the last one that ran is the answer', async () => {
    const service = await serve(
      flow(`${user()}
  step "orders" {
    connector = "db"
    target    = "orders"
    params    = { user_id = "step.user.id", state = "open" }
  }
  step "never" {
    connector = "db"
    target    = "t"
    when      = "step.user.id == 0"
  }`),
      { answer: ({ description }) => ({ rows: description.query ? [{ id: 7n }] : [{ total: 1 }, { total: 2 }] }) },
    );
    expect(service.deliver('f', { id: 1 })).toMatchObject({ value: [{ total: 1 }, { total: 2 }] });
    expect(service.calls.map(({ description, filters }) => [description.label, description.exact, filters])).toEqual([
      ['step "user"', true, undefined],
      ['step "orders"', false, { user_id: 7n, state: 'open' }],
    ]);
  });

  test('calls what can be called, with body, headers and positional parameters', async () => {
    const service = await serve(
      flow(`step "a" {
    connector = "peer"
    operation = "POST /search"
    body      = { query = { match = { name = "input.q" } }, size = 5 }
    headers   = { X-Store = "input.store ?? 'none'", X-None = "null" }
    timeout   = "2s"
  }
  step "b" {
    connector = "db"
    query     = "SELECT ? + ?"
    params    = [input.q, 5]
  }
  step "c" {
    connector = "db"
    operation = "UPDATE"
    target    = "t"
    params    = { id = 1 }
    body      = { name = "input.q" }
  }`),
      { answer: () => ({ value: { hits: 1 } }) },
    );
    await service.deliver('f', { q: 'x' });
    const [a, b, c] = service.calls as [Call, Call, Call];
    expect([asked(a), a.headers, a.description.timeout]).toEqual([
      {
        verb: 'call',
        operation: 'POST /search',
        target: undefined,
        query: undefined,
        filters: undefined,
        payload: { query: { match: { name: 'x' } }, size: 5 },
        params: undefined,
      },
      { 'X-Store': 'none' },
      2000,
    ]);
    expect(b.params).toEqual(['x', 5]);
    expect([c.description.verb, c.description.target, c.filters, c.payload]).toEqual([
      'update',
      't',
      { id: 1 },
      { name: 'x' },
    ]);
  });

  test.each(['operation = "PUBLISH"', 'operation = "delete"', ''])(
    'sends its body and its params to what only takes messages: %s',
    async (operation) => {
      const step = (name: string, rest: string) =>
        `step "${name}" {\n connector = "topics"\n target = "t"\n ${operation}\n ${rest}\n params = { key = "input.id" }\n }\n`;
      const service = await serve(flow(step('a', 'body = { v = "input.v" }') + step('b', '')));
      await service.deliver('f', { id: 7, v: 'x' });
      expect(service.calls.map(({ filters, payload, params }) => ({ filters, payload, params }))).toEqual([
        { filters: undefined, payload: { v: 'x' }, params: { key: 7 } },
        { filters: undefined, payload: undefined, params: { key: 7 } },
      ]);
      expect(service.calls.map(({ description: { verb } }) => verb)).not.toContain('read');
    },
  );

  test.each([
    ['', 'an empty text'],
    [null, 'null'],
    [[], 'a list'],
  ])('with the target %j asks nothing', async (topic, got) => {
    const service = await serve(flow('step "a" {\n connector = "topics"\n target = "input.topic"\n body = {}\n }'));
    expect(() => service.deliver('f', { topic })).toThrow(`step "a": target must give a text, not ${got}`);
    expect(service.calls).toEqual([]);
  });

  test.each([
    ['on_error = "skip"', {}, 'd'],
    ['on_error = "skip"\n    default = { name = "standard" }', { name: 'standard' }, 'standard'],
    ['on_error = "default"\n    default = { name = "standard" }', { name: 'standard' }, 'standard'],
  ])('that fails continues with %s', async (extra, step, name) => {
    const service = await serve(
      flow(user(extra), 'response {\n user = "step.user"\n name = "step.user.name ?? \'d\'"\n }'),
      { answer: () => Promise.reject(new Failure('connector_refused', 'connection refused')) },
    );
    expect(await service.deliver('f', { id: 1 })).toMatchObject({ value: { user: step, name } });
    expect(service.log.map(({ level, fields }) => [level, fields['step'], fields['code']])).toEqual([
      ['warn', 'user', 'connector_refused'],
    ]);
  });

  test('fails the flow when a parameter cannot be evaluated, whatever the value of on_error', async () => {
    const service = await serve(flow(user('on_error = "skip"')));
    expect(() => service.deliver('f', {})).toThrow(
      expect.objectContaining({
        code: 'expression_failed',
        message: 'step "user": params.id: no such key: id',
        at: { flow: 'f', stage: 'step' },
      }),
    );
    expect(service.calls).toEqual([]);
  });

  test('with a false condition leaves its default; one that cannot be evaluated fails', async () => {
    const service = await serve(
      flow(user('when = "input.wanted"\n    default = { n = 5 }'), 'response { n = "step.user.n" }'),
    );
    expect(service.deliver('f', { id: 1, wanted: false })).toMatchObject({ value: { n: 5n } });
    expect(() => service.deliver('f', { id: 1 })).toThrow('step "user": when: no such key: wanted');
    expect(service.calls).toEqual([]);
  });

  test('refers to a named operation of its connector', async () => {
    const service = await serve(
      `connector "api" { type = "server" }
connector "db" {
  type = "store"
  operation "by_id" {
    query   = "SELECT 1 WHERE :id"
    timeout = "1s"
  }
}
${flow('step "a" {\n    connector = "db"\n    operation = "by_id"\n    params = { id = "input.id" }\n  }')}`,
      { answer: () => ({ rows: [{ n: 1 }] }) },
    );
    await service.deliver('f', { id: 9 });
    expect([asked(service.calls[0] as Call), service.calls[0]?.description.timeout]).toEqual([
      {
        verb: 'read',
        operation: undefined,
        target: undefined,
        query: 'SELECT 1 WHERE :id',
        filters: undefined,
        payload: undefined,
        params: { id: 9 },
      },
      1000,
    ]);
  });

  test('is checked against the types that its named operation declares', async () => {
    let rows: Record<string, unknown>[] = [{ n: 1 }];
    const service = await serve(
      `connector "api" { type = "server" }
connector "db" {
  type = "store"
  operation "by_id" {
    query  = "SELECT 1 WHERE :id"
    input  = "key"
    output = "row"
  }
}
type "key" { id = string }
type "row" { n = number }
${flow('step "a" {\n    connector = "db"\n    operation = "by_id"\n    params = { id = "input.id" }\n  }')}`,
      { answer: () => ({ rows }) },
    );
    expect(service.deliver('f', { id: 'x' })).toMatchObject({ value: { n: 1 } });
    expect(() => service.deliver('f', { id: 1 })).toThrow(
      'step "a": what goes in does not match type "key": id must be a text',
    );
    rows = [{ n: 1 }, { n: 'x' }];
    expect(() => service.deliver('f', { id: 'x' })).toThrow(
      'step "a": what came back does not match type "row": [1].n must be a number',
    );
    expect(service.calls).toHaveLength(2);
  });
});
