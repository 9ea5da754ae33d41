import { describe, expect, test } from 'vitest';
import { type Call, serve, type TestService } from '../../plan/testing/service.ts';
import { aspect, failing, flow, note, notes, outcomeOf, warnings, written } from './testing/writing.ts';

describe('actions on connectors', () => {
  const acting = (body: string, when = 'before') =>
    serve(`${flow('f')}aspect "a" {\n on = ["f"]\n when = "${when}"\n action {\n ${body}\n }\n}\n`);
  const asked = ({ calls }: TestService): Call =>
    calls.find(({ description }) => description.label === 'aspect "a"') as Call;

  test.each([
    ['connector = "db"\n target = "log"', 'create', 'INSERT', 'log', { payload: { n: 1, id: 7 } }],
    ['connector = "db"\n operation = "INSERT audit"', 'create', 'INSERT', 'audit', { payload: { n: 1, id: 7 } }],
    [
      'connector = "db"\n operation = "update  audit log "',
      'update',
      'update',
      'audit log',
      { filters: { id: 7 }, payload: { n: 1 } },
    ],
    ['connector = "db"\n operation = "DELETE"\n target = "t"', 'delete', 'DELETE', 't', { filters: { n: 1, id: 7 } }],
    [
      'connector = "peer"\n operation = "POST /alerts"',
      'create',
      'POST /alerts',
      undefined,
      { payload: { n: 1, id: 7 } },
    ],
    [
      'connector = "peer"\n operation = "PUT /alerts/:id"',
      'update',
      'PUT /alerts/:id',
      undefined,
      { payload: { n: 1, id: 7 } },
    ],
    ['connector = "peer"\n operation = "PATCH"\n target = "/a"', 'update', 'PATCH', '/a', { payload: { n: 1, id: 7 } }],
    ['connector = "peer"\n operation = "GET /ping"', 'call', 'GET /ping', undefined, { params: { n: 1, id: 7 } }],
  ])('%s', async (body, verb, operation, target, sent) => {
    const service = await acting(body);
    await service.deliver('f', { n: 1, id: 7 });
    const { description, filters, payload, params } = asked(service);
    expect([description.verb, description.operation, description.target]).toEqual([verb, operation, target]);
    expect({ filters, payload, params }).toEqual({
      filters: undefined,
      payload: undefined,
      params: undefined,
      ...sent,
    });
  });

  test('a statement has the payload as its parameters', async () => {
    const service = await acting(
      'connector = "db"\n query = "INSERT INTO a VALUES (:who)"\n transform {\n who = "input.n"\n }',
    );
    await service.deliver('f', { n: 1, id: 7 });
    const { description, filters, payload } = asked(service);
    expect([description.verb, description.operation, description.query]).toEqual([
      'create',
      undefined,
      'INSERT INTO a VALUES (:who)',
    ]);
    expect({ filters, payload }).toEqual({ filters: { who: 1 }, payload: { who: 1 } });
  });

  test('without a transform, what a flow would write is sent: never headers, never the query', async () => {
    const service = await acting('connector = "peer"');
    await service.deliver('f', { n: 1, q: 'x', headers: { cookie: 'c' }, files: {} }, { queried: ['q'] });
    expect(asked(service).payload).toEqual({ n: 1 });
  });

  test('a named operation resolves to its attributes', async () => {
    const service = await serve(
      `connector "api" {\n type = "server"\n}\nconnector "db" {\n type = "store"\n operation "audit" {\n query = "INSERT INTO a VALUES (:n)"\n }\n}\n` +
        flow('f') +
        'aspect "a" {\n on = ["f"]\n when = "after"\n action {\n connector = "db"\n operation = "audit"\n }\n}\n',
    );
    await service.deliver('f', { n: 1 });
    expect(asked(service).description).toMatchObject({ query: 'INSERT INTO a VALUES (:n)' });
    expect(asked(service).payload).toEqual({ n: 1 });
  });

  test('one that fails before the flow fails it; after the flow it changes nothing', async () => {
    const before = await serve(
      flow('f') + aspect('a', 'before', note('x = "1"')) + aspect('e', 'on_error', note('e = "error.message"')),
      {
        answer: failing('peer'),
      },
    );
    expect(await outcomeOf(() => before.deliver('f', { n: 1 }))).toEqual(['connector_failed', 'peer is unavailable']);
    expect(written(before)).toEqual([]);
    expect(warnings(before)).toMatchObject([{ aspect: 'e', flow: 'f', error: 'peer is unavailable' }]);
    expect(before.metrics.families.aspectErrors.of('a', 'f').value).toBe(1);

    const after = await serve(flow('f') + aspect('a', 'after', note('x = "1"')), { answer: failing('peer') });
    expect(await after.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply', value: { affected: 1 } });
    expect(warnings(after)).toMatchObject([{ message: 'the action of an aspect failed', aspect: 'a', flow: 'f' }]);
    expect(after.metrics.families.aspectErrors.of('a', 'f').value).toBe(1);
  });

  test('on_error cannot replace the failure', async () => {
    const service = await serve(flow('f') + aspect('e', 'on_error', note('x = "input.missing"')), {
      answer: failing('db'),
    });
    expect(await outcomeOf(() => service.deliver('f', { n: 1 }))).toEqual(['connector_failed', 'db is unavailable']);
    expect(warnings(service)).toMatchObject([{ aspect: 'e', code: 'expression_failed' }]);
  });

  test('aspects after the flow are not cancelled with its caller', async () => {
    const asking = async (when: string) => {
      let asked = 0;
      const signal = () => {
        asked++;
        return AbortSignal.abort();
      };
      const service = await serve(flow('f') + aspect('a', when, note('x = "1"')));
      await service.deliver('f', { n: 1 }, { signal });
      expect(notes(service)).toHaveLength(1);
      return asked;
    };
    const byFlowItself = 1;
    expect([await asking('before'), await asking('after')]).toEqual([byFlowItself + 1, byFlowItself]);
  });
});

describe('actions on flows', () => {
  const calling = (on: string, when: string, name: string, transform = '') =>
    `aspect "a" {\n on = ${on}\n when = "${when}"\n action {\n flow = "${name}"\n ${transform}\n }\n}\n`;

  test('run the whole flow: its gates, its aspects, with the identity of the caller', async () => {
    const service = await serve(
      flow('f') +
        flow('audit', 'require {\n }\n accept {\n when = "input.n > 0"\n }') +
        calling('["f"]', 'after', 'audit', 'transform {\n n = "input.n * 2"\n }') +
        aspect('b', 'before', note('who = "auth.user_id"\n n = "input.n"'), '["audit"]'),
    );
    const auth = { authenticated: true, user_id: 'u1', email: '', roles: [], claims: {} };
    await service.deliver('f', { n: 2n }, { auth });
    expect(written(service).map(({ payload }) => payload)).toEqual([{ n: 2n }, { n: 4n }]);
    expect(notes(service)).toEqual([{ who: 'u1', n: 4n }]);
    await service.deliver('f', { n: 2n });
    expect(warnings(service)).toMatchObject([{ aspect: 'a', flow: 'f', code: 'authentication_required' }]);
  });

  test('a flow that drops the message counts as a success', async () => {
    const service = await serve(
      flow('f') + flow('audit', 'accept {\n when = "false"\n }') + calling('["f"]', 'before', 'audit'),
    );
    expect(await service.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply' });
    expect(written(service)).toHaveLength(1);
  });

  test('a failure at a gate of that flow names that flow, and error_response of this flow shapes it', async () => {
    const service = await serve(
      flow('target', '', 'connector = "api"\n operation = "POST /target"\n filter = "input.gone == 1"') +
        flow('f', 'error_handling {\n error_response {\n status = 418\n body {\n why = "error.message"\n }\n }\n }') +
        aspect('a', 'before', 'action {\n flow = "target"\n }', '["f"]'),
    );
    expect(await service.deliver('f', { n: 1 })).toMatchObject({
      status: 418,
      value: { why: 'aspect "a" of flow "f": flow "target" failed: filter: no such key: gone' },
    });
  });

  test.each([409, 200])(
    'an answer of an error_response, of the status %i too, is a failure of the action',
    async (status) => {
      const service = await serve(
        flow('f') +
          'flow "audit" {\n from {\n connector = "api"\n operation = "POST /a"\n }\n to {\n connector = "peer"\n target = "a"\n }\n error_handling {\n error_response {\n status = ' +
          `${status}\n }\n }\n}\n` +
          calling('["f"]', 'before', 'audit') +
          'aspect "e" {\n on = ["f"]\n when = "on_error"\n action {\n connector = "db"\n target = "e"\n transform {\n type = "error.type"\n code = "error.code"\n }\n }\n}\n',
        { answer: failing('peer') },
      );
      expect(await outcomeOf(() => service.deliver('f', { n: 1 }))).toEqual([
        'flow_failed',
        `aspect "a" of flow "f": flow "audit" answered ${status}`,
      ]);
      expect(written(service).map(({ payload }) => payload)).toEqual([{ type: 'flow', code: BigInt(status) }]);
    },
  );

  test('what the source says of a message names no row for the flow that is run with it', async () => {
    const service = await serve(
      flow('f') +
        'flow "target" {\n to {\n connector = "db"\n target = "orders"\n operation = "UPDATE"\n }\n}\n' +
        calling('["f"]', 'before', 'target') +
        'aspect "b" {\n on = ["f"]\n when = "after"\n action {\n connector = "db"\n operation = "DELETE orders"\n }\n}\n' +
        'aspect "c" {\n on = ["f"]\n when = "after"\n action {\n connector = "db"\n operation = "UPDATE orders"\n }\n}\n',
    );
    const filters = async (over: object) => {
      const before = service.calls.length;
      await service.deliver('f', { id: 7, n: 1 }, over);
      const made = service.calls.slice(before).filter(({ description: { verb } }) => verb !== 'create');
      return made.map(({ description: { verb, label }, filters: found }) => [label, verb, found]);
    };
    expect(await filters({ sourced: ['id'] })).toEqual([
      ['to "db"', 'update', {}],
      ['aspect "c"', 'update', {}],
      ['aspect "b"', 'delete', { n: 1 }],
    ]);
    expect(await filters({})).toEqual([
      ['to "db"', 'update', { id: 7 }],
      ['aspect "c"', 'update', { id: 7 }],
      ['aspect "b"', 'delete', { n: 1, id: 7 }],
    ]);
  });

  test('a chain of calls that returns to one of its flows is refused', async () => {
    const service = await serve(
      flow('f') +
        flow('g') +
        flow('h') +
        calling('["f"]', 'after', 'g') +
        'aspect "b" {\n on = ["g"]\n when = "after"\n action {\n flow = "h"\n }\n}\n' +
        'aspect "c" {\n on = ["h"]\n when = "before"\n action {\n flow = "f"\n }\n}\n',
    );
    expect(await service.deliver('f', { n: 1 })).toMatchObject({ kind: 'reply' });
    expect(written(service)).toHaveLength(2);
    expect(warnings(service)).toMatchObject([
      {
        aspect: 'b',
        flow: 'g',
        code: 'flow_failed',
        error: 'aspect "b" of flow "g": flow "h" failed: aspect "c" of flow "h" comes back to flow "f": f > g > h > f',
      },
    ]);
  });

  test('a flow that calls itself through a pattern that is too wide is refused', async () => {
    const service = await serve(flow('f') + flow('audit') + calling('["*"]', 'after', 'audit'));
    await service.deliver('f', { n: 1 });
    expect(written(service)).toHaveLength(2);
    expect(warnings(service)).toMatchObject([
      { aspect: 'a', flow: 'audit', error: 'aspect "a" of flow "audit" comes back to flow "audit": f > audit > audit' },
    ]);
  });
});
