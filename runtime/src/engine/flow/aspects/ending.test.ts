import { describe, expect, test } from 'vitest';
import { fanOut } from '../../../connectors/intake/dispatch/fan-out.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Answer, messageOf, serve, type TestService } from '../../plan/testing/service.ts';
import { aspect, flow, note, notes, outcomeOf, warnings } from './testing/writing.ts';

describe('on_drop', () => {
  const queued = (name: string, gate: string) =>
    `flow "${name}" {\n from {\n connector = "events"\n ${gate}\n }\n to {\n connector = "db"\n target = "${name}"\n }\n}\n`;
  const dropped = aspect('d', 'on_drop', note('flow = "_flow"\n reason = "drop.reason"\n id = "drop.message_id"'));
  const publish = (service: TestService, input: Record<string, unknown>) =>
    fanOut(service.bindings('events'), () => messageOf(input));

  test('runs for a single flow, with the decision of its gate', async () => {
    const service = await serve(
      queued('f', 'filter {\n condition = "input.n > 0"\n id_field = "input.id"\n }') + dropped,
    );
    expect(await publish(service, { n: 0, id: 'm1' })).toMatchObject({ kind: 'drop', messageId: 'm1' });
    expect(notes(service)).toEqual([{ flow: 'f', reason: 'filter', id: 'm1' }]);
  });

  test('runs once for an event of several flows, for the one that decides', async () => {
    const service = await serve(
      queued('a', 'filter = "input.n > 1"') +
        queued('b', 'filter {\n condition = "input.n > 2"\n on_reject = "requeue"\n }') +
        queued('c', 'filter = "input.n > 3"') +
        dropped,
    );
    expect(await publish(service, { n: 0 })).toMatchObject({ kind: 'drop', policy: 'requeue' });
    expect(notes(service)).toEqual([{ flow: 'b', reason: 'filter', id: '' }]);
  });

  test('does not run when another flow took the event, or failed', async () => {
    const service = await serve(
      queued('a', 'filter = "input.n > 1"') + queued('b', 'filter = "input.n != 5"') + queued('c', '') + dropped,
      {
        answer: ({ connector, payload }) => {
          if (connector === 'db' && payload?.['n'] === 1) throw new Failure('connector_failed', 'away');
          return { affected: 1 };
        },
      },
    );
    expect(await publish(service, { n: 0 })).toMatchObject({ kind: 'reply' });
    expect(await outcomeOf(() => publish(service, { n: 1 }))).toEqual(['connector_failed', 'away']);
    expect(notes(service)).toEqual([]);
  });

  test('waits for flows that take longer', async () => {
    let finish = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const service = await serve(queued('a', 'filter = "false"') + queued('b', '') + dropped, {
      answer: async ({ connector }) => {
        if (connector === 'db') await slow;
        throw new Failure('connector_failed', 'away');
      },
    });
    const outcome = outcomeOf(() => publish(service, { n: 0 }));
    finish();
    expect(await outcome).toEqual(['connector_failed', 'away']);
    expect(notes(service)).toEqual([]);
  });
});

describe('response', () => {
  const reading = (name: string, more = '') =>
    `flow "${name}" {\n from {\n connector = "api"\n operation = "GET /${name}"\n }\n to {\n connector = "db"\n target = "t"\n }\n ${more}\n}\n`;
  const rows =
    (...list: object[]): Answer =>
    () => ({ rows: list as Record<string, unknown>[] });

  test('adds fields to every row, to the one object, or makes a row', async () => {
    const total = aspect('r', 'after', 'response {\n _total = "size(result.data)"\n _flow = "_flow"\n }');
    const value = async (configuration: string, answer: Answer) =>
      ((await (await serve(configuration + total, { answer })).deliver('f', { n: 1 })) as { value: unknown }).value;
    expect(await value(reading('f'), rows({ a: 1 }, { a: 2 }))).toEqual([
      { a: 1, _total: 2n, _flow: 'f' },
      { a: 2, _total: 2n, _flow: 'f' },
    ]);
    expect(await value(reading('f'), rows())).toEqual([{ _total: 0n, _flow: 'f' }]);
    expect(await value(flow('f'), () => ({ affected: 1 }))).toEqual({ affected: 1n, _total: 1n, _flow: 'f' });
    expect(await value(reading('f', 'response {\n x = "null"\n }'), rows())).toEqual({
      x: null,
      _total: 1n,
      _flow: 'f',
    });
  });

  test('headers of several aspects add up; the one that runs last wins', async () => {
    const service = await serve(
      flow('f') +
        aspect('first', 'after', 'priority = 2\n response {\n headers = { X-A = "1", x-both = "first" }\n }') +
        aspect('last', 'after', 'priority = 1\n response {\n headers = { X-B = "2", X-Both = "last" }\n }') +
        aspect('not', 'after', 'if = "false"\n response {\n headers = { X-C = "3" }\n }'),
    );
    expect(await service.deliver('f', { n: 1 })).toMatchObject({
      value: { affected: 1 },
      headers: { 'X-A': '1', 'X-B': '2', 'X-Both': 'last' },
    });
  });

  test('later aspects see what earlier ones added; a field that fails adds nothing', async () => {
    const service = await serve(
      flow('f') +
        aspect('one', 'after', 'priority = 3\n response {\n a = "1"\n }') +
        aspect('bad', 'after', 'priority = 2\n response {\n headers = { X-A = "1" }\n b = "input.missing"\n }') +
        aspect('two', 'after', 'priority = 1\n response {\n c = "result.data[0].a + 1"\n }'),
    );
    expect(await service.deliver('f', { n: 1 })).toEqual({
      kind: 'reply',
      value: { affected: 1n, a: 1n, c: 2n },
      status: undefined,
      headers: undefined,
    });
    expect(warnings(service)).toMatchObject([{ aspect: 'bad', flow: 'f', code: 'expression_failed' }]);
  });
});
