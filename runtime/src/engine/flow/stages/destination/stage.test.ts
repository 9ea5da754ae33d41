import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { type Call, serve } from '../../../plan/testing/service.ts';

const flow = (operation: string, body: string) => `flow "f" {
  from {
    connector = "api"
    operation = "${operation}"
  }
  ${body}
}`;
const table = (extra = '') => `to {
    connector = "db"
    target    = "users"
    ${extra}
  }`;
const asked = ({ description: { verb, target, query }, filters, payload }: Call) => ({
  verb,
  target,
  ...(query === undefined ? {} : { query }),
  filters,
  payload,
});
const path = { addressed: ['id'] };

describe('a reading flow', () => {
  test('filters by its path parameters alone and answers the list', async () => {
    const service = await serve(flow('GET /users/:id', table('query_filter = { state = "open", tag = ":tag" }')), {
      answer: () => ({ rows: [{ id: 1 }] }),
    });
    const outcome = service.deliver('f', { id: '1', sort: 'x', tag: 't', headers: {} }, path);
    expect(outcome).toMatchObject({ value: [{ id: 1 }] });
    expect(service.calls.map(asked)).toEqual([
      { verb: 'read', target: 'users', filters: { id: '1', state: 'open', tag: 't' }, payload: undefined },
    ]);
    expect(service.calls[0]?.description.exact).toBe(false);
  });

  test('shapes every row, with its columns laid over the message', async () => {
    const service = await serve(
      flow(
        'GET /users/:id',
        `enrich "city" {
    connector = "peer"
    operation = "GET /cities/:id"
    params { id = "input.city" }
  }
  transform {
    name = "input.name + ' of ' + enriched.city.name"
    id   = "input.id + 1"
    tag  = "input.tag"
  }
  ${table()}`,
      ),
      {
        answer: ({ connector, params }) =>
          connector === 'db'
            ? {
                rows: [
                  { id: 1n, name: 'A', city: 'x' },
                  { id: 2n, name: 'B', city: 'y' },
                ],
              }
            : Promise.resolve({ value: { name: `city ${(params as { id: string }).id}` } }),
      },
    );
    expect(await service.deliver('f', { id: '7', tag: 't' }, path)).toMatchObject({
      value: [
        { name: 'A of city x', id: 2n, tag: 't' },
        { name: 'B of city y', id: 3n, tag: 't' },
      ],
    });
    expect(service.calls[0]?.description.exact).toBe(true);
  });

  test('with a query takes its parameters from the message and the transform', async () => {
    const service = await serve(
      flow(
        'GET /users',
        'transform { limit = "int(input.limit) + 1" }\n  to {\n    connector = "db"\n    query = "SELECT :limit"\n  }',
      ),
      { answer: () => ({ rows: [] }) },
    );
    expect(service.deliver('f', { limit: '5' })).toMatchObject({ value: [] });
    expect(service.calls.map(asked)).toEqual([
      { verb: 'read', target: undefined, query: 'SELECT :limit', filters: { limit: '5' }, payload: { limit: 6n } },
    ]);
  });

  test('that has steps does not use its destination', async () => {
    const service = await serve(
      flow('GET /x', `step "a" {\n    connector = "db"\n    target = "t"\n  }\n  ${table()}`),
      {
        answer: () => ({ rows: [{ n: 1 }] }),
      },
    );
    expect(service.deliver('f')).toMatchObject({ value: { n: 1 } });
    expect(service.calls).toHaveLength(1);
  });

  test('writes when its destination has a writing operation', async () => {
    const service = await serve(flow('GET /hit', `transform { n = "1" }\n  ${table('operation = "insert"')}`));
    expect(service.deliver('f')).toMatchObject({ value: { affected: 1 } });
    expect(service.calls.map(asked)).toEqual([
      { verb: 'create', target: 'users', filters: undefined, payload: { n: 1n } },
    ]);
  });
});

describe('a write without transform', () => {
  test('S-33: persists path parameters and body, never headers, files or the query string', async () => {
    const service = await serve(flow('POST /users/:id', table()));
    service.deliver(
      'f',
      { id: '1', name: 'A', role: 'admin', debug: 'x', headers: { a: '1' }, files: {} },
      {
        ...path,
        queried: ['debug'],
      },
    );
    expect(service.calls.map(asked)).toEqual([
      { verb: 'create', target: 'users', filters: undefined, payload: { id: '1', name: 'A', role: 'admin' } },
    ]);
  });

  test('S-33: persists only what the type declares when there is one', async () => {
    const service = await serve(
      `type "user" { name = string }\n${flow('POST /users/:id', `validate { input = "user" }\n  ${table()}`)}`,
    );
    service.deliver('f', { id: '1', name: 'A', role: 'admin', headers: {} }, path);
    expect(service.calls[0]?.payload).toEqual({ id: '1', name: 'A' });
  });

  test('S-31: updates by the path parameters and id, which are not set', async () => {
    const service = await serve(flow('PUT /teams/:team/users/:id', table()));
    const outcome = service.deliver('f', { id: '1', team: 't', name: 'A' }, { addressed: ['team', 'id'] });
    expect(outcome).toMatchObject({ value: { affected: 1 } });
    expect(service.calls.map(asked)).toEqual([
      { verb: 'update', target: 'users', filters: { team: 't', id: '1' }, payload: { name: 'A' } },
    ]);
  });

  test('deletes by the path parameters and id', async () => {
    const service = await serve(flow('DELETE /users/:id', table()), { answer: () => ({ affected: 0 }) });
    expect(service.deliver('f', { id: '1', x: 1 }, path)).toMatchObject({ value: { affected: 0 } });
    expect(service.calls.map(asked)).toEqual([
      { verb: 'delete', target: 'users', filters: { id: '1' }, payload: undefined },
    ]);
  });

  test('that is empty is refused before the database is asked', async () => {
    const service = await serve(flow('POST /users', table()));
    expect(() => service.deliver('f', { headers: {} })).toThrow(
      expect.objectContaining({
        code: 'nothing_to_write',
        message: 'flow "f" has nothing to write: the message has no fields',
      }),
    );
    expect(service.calls).toEqual([]);
  });
});

describe('a write', () => {
  test.each([
    ['the id of the payload, of which a key that was generated says nothing', { id: 7, affected: 1 }, 'own'],
    ['the key under which it was written', { id: 'k', key: 'k', affected: 1 }, 'k'],
  ])('answers %s', async (_, result, id) => {
    const service = await serve(flow('POST /users', table()), { answer: () => result });
    expect(service.deliver('f', { id: 'own', name: 'A' })).toMatchObject({ value: { id, affected: 1 } });
  });

  test('sets what its transform built, but never the id that addresses the row', async () => {
    const service = await serve(
      flow('PATCH /users/:id', `transform {\n    id = "input.id"\n    n = "2"\n  }\n  ${table()}`),
    );
    service.deliver('f', { id: '1' }, path);
    expect(service.calls.map(asked)).toEqual([
      { verb: 'update', target: 'users', filters: { id: '1' }, payload: { n: 2n } },
    ]);
  });

  test.each([
    [
      { rows: [{ id: 5, n: 1 }], affected: 1 },
      { id: 5, n: 1 },
    ],
    [{ rows: [{ n: 1 }, { n: 2 }] }, [{ n: 1 }, { n: 2 }]],
    [{ rows: [] }, []],
    [
      { affected: 1, id: 9 },
      { id: 9, affected: 1 },
    ],
    [{ value: { sent: true } }, { sent: true }],
  ])('answers with what the connector answers: %j', async (result, answer) => {
    const service = await serve(flow('POST /users', table()), { answer: () => result });
    expect(service.deliver('f', { n: 1 })).toMatchObject({ value: answer });
  });

  test('with a false condition is skipped and the flow succeeds', async () => {
    const service = await serve(flow('POST /users', table('when = "input.n > 1"')));
    expect(service.deliver('f', { n: 1 })).toMatchObject({ value: { skipped: true, reason: 'condition not met' } });
    expect(service.calls).toEqual([]);
    service.deliver('f', { n: 2 });
    expect(service.calls).toHaveLength(1);
  });

  test('may take its target from the message and its payload from a transform of its own', async () => {
    const service = await serve(
      flow(
        'POST /x',
        `transform { a = "1" }\n  to {\n    connector = "db"\n    target = "'t_' + input.kind"\n    transform {\n      b = "output.a + 1"\n      c = "output.b + 1"\n    }\n  }`,
      ),
    );
    service.deliver('f', { kind: 'k' });
    expect([service.calls[0]?.target, service.calls[0]?.payload]).toEqual(['t_k', { b: 2n, c: 3n }]);
    expect(() => service.deliver('f', { kind: null })).toThrow('to "db": target');
  });

  test('gives integers exactly only where an expression reads the answer', async () => {
    const exactOf = async (rest: string) => {
      const service = await serve(flow('POST /x', `${table()}\n  ${rest}`));
      service.deliver('f', { n: 1 });
      return service.calls[0]?.description.exact;
    };
    expect(await exactOf('')).toBe(false);
    expect(await exactOf('response { ok = "true" }')).toBe(false);
    expect(await exactOf('response { ok = "output.affected > 0" }')).toBe(true);
  });
});

describe('several destinations', () => {
  const two = (first: string, second: string, rest = '') =>
    flow(
      'POST /x',
      `transform { n = "1" }\n  ${table(first)}\n  to {\n    connector = "peer"\n    target = "/notify"\n    ${second}\n  }\n  ${rest}`,
    );
  const failing = (names: readonly string[]) => (call: Call) => {
    if (names.includes(call.connector)) throw new Failure('connector_refused', `${call.connector} is unavailable`);
    return { affected: 1 };
  };

  test('answer by label, with what failed and what was skipped', async () => {
    const service = await serve(two('', 'when = "false"'));
    expect(await service.deliver('f')).toMatchObject({
      value: {
        results: { db: { affected: 1 }, peer: { skipped: true, reason: 'condition not met' } },
        errors: {},
        success: true,
      },
    });
    const partly = await serve(two('', ''), { answer: failing(['peer']) });
    expect(await partly.deliver('f')).toMatchObject({
      value: { results: { db: { affected: 1 } }, errors: { peer: 'peer is unavailable' }, success: false },
    });
  });

  test('fail the flow when all fail, or when a required one does', async () => {
    const all = await serve(two('', ''), { answer: failing(['db', 'peer']) });
    await expect(all.deliver('f')).rejects.toMatchObject({
      code: 'connector_refused',
      message: 'every destination failed: db: db is unavailable; peer: peer is unavailable',
    });
    const required = await serve(two('', 'required = true'), { answer: failing(['peer']) });
    await expect(required.deliver('f')).rejects.toMatchObject({ message: 'peer is unavailable' });
    const optional = await serve(two('', 'required = true'), { answer: failing(['db']) });
    expect(await optional.deliver('f')).toMatchObject({ value: { success: false } });
  });

  test('run concurrently, then those that must wait, in written order', async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const service = await serve(
      flow(
        'POST /x',
        `transform { n = "1" }
  to {
    connector = "db"
    target    = "last"
    parallel  = false
  }
  to {
    connector = "db"
    target    = "one"
  }
  to {
    connector = "db"
    target    = "two"
  }`,
      ),
      {
        answer: async ({ description }) => {
          order.push(`begin ${description.target}`);
          if (description.target === 'one') await gate.promise;
          else if (description.target === 'two') gate.resolve();
          order.push(`end ${description.target}`);
          return { affected: 1 };
        },
      },
    );
    expect(await service.deliver('f')).toMatchObject({
      value: { results: { 'db:last': { affected: 1 }, 'db:one': { affected: 1 }, 'db:two': { affected: 1 } } },
    });
    expect(order).toEqual(['begin one', 'begin two', 'end two', 'end one', 'begin last', 'end last']);
  });

  test('that succeeded are not repeated by a retry', async () => {
    let failures = 2;
    const service = await serve(
      two('', 'required = true', 'error_handling {\n    retry {\n      attempts = 3\n      delay = "1ms"\n    }\n  }'),
      {
        answer: ({ connector }) => {
          if (connector === 'peer' && failures-- > 0) throw new Failure('connector_refused', 'away');
          return { affected: 1 };
        },
      },
    );
    expect(await service.deliver('f')).toMatchObject({ value: { success: true } });
    expect(service.calls.map(({ connector }) => connector)).toEqual(['db', 'peer', 'peer', 'peer']);
  });
});
