import { describe, expect, test } from 'vitest';
import { serve } from '../../../plan/testing/service.ts';

const gated = (gate: string) => `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
    ${gate}
  }
  response { ok = "true" }
}`;

describe('filter', () => {
  test('R-35: a message that does not match is dropped with its reason, and counted as dropped', async () => {
    const service = await serve(gated('filter = "input.kind == \'order\'"'));
    const drop = {
      kind: 'drop',
      reason: 'filter',
      policy: 'ack',
      expression: "input.kind == 'order'",
      messageId: '',
      maxRequeue: 3,
      values: expect.any(Function),
    };
    expect(service.deliver('f', { kind: 'other' })).toEqual(drop);
    expect(service.deliver('f', { kind: 'order' })).toMatchObject({ kind: 'reply', value: { ok: true } });
    expect(service.events.filter(([event]) => event === 'finished')).toEqual([
      ['finished', 'f', 'dropped', drop],
      ['finished', 'f', 'success', undefined],
    ]);
  });

  test('takes its policy and the identity of the message from the block', async () => {
    const service = await serve(
      gated(
        'filter {\n condition = "input.n > 1"\n on_reject = "requeue"\n id_field = "input.id"\n max_requeue = 5\n }',
      ),
    );
    expect(service.deliver('f', { n: 1, id: 'm-1' })).toEqual({
      kind: 'drop',
      reason: 'filter',
      policy: 'requeue',
      expression: 'input.n > 1',
      messageId: 'm-1',
      maxRequeue: 5,
      values: expect.any(Function),
    });
  });

  test('R-35: shows the values that decided', async () => {
    const service = await serve(
      gated('filter = "input.kind == \'order\' && input.n > 1"\n  }\n  accept {\n when = "input.n > 5"'),
    );
    const values = async (input: Readonly<Record<string, unknown>>) => {
      const outcome = await service.deliver('f', input);
      return outcome.kind === 'drop' ? { ...outcome.values?.() } : outcome;
    };
    expect(await values({ kind: 'other', n: 3n })).toEqual({ 'input.kind': 'other', 'input.n': 3n });
    expect(await values({ kind: 'order', n: 3n })).toEqual({ 'input.n': 3n });
    expect(await values({ kind: 'order', n: 6n })).toMatchObject({ kind: 'reply' });
  });

  test('takes on_reject beside the text form', async () => {
    const service = await serve(gated('filter = "false"\n    on_reject = "reject"'));
    expect(service.deliver('f')).toMatchObject({ policy: 'reject' });
  });
});

describe('S-96: a gate that cannot be evaluated refuses', () => {
  test.each([
    ['a missing field', 'input.kind == 1', 'filter: no such key: kind'],
    ['a number', 'input.n', 'filter must give true or false, not a number'],
    ['a text', "'true'", 'filter must give true or false, not a text'],
    ['null', 'null', 'filter must give true or false, not null'],
    ['an unknown name', 'inptu.n == 1', 'filter:'],
    ['text that is not an expression', 'input.n ==', 'filter: the expression is not valid'],
  ])('%s in a filter', async (_title, expression, message) => {
    const service = await serve(gated(`filter = "${expression}"`));
    expect(() => service.deliver('f', { n: 1 })).toThrow(message);
    expect(service.events.at(-1)?.slice(0, 3)).toEqual(['finished', 'f', 'error']);
  });

  test.each([
    ['a missing field', 'input.kind == 1'],
    ['a number', 'input.n'],
    ['null', 'null'],
    ['text that is not an expression', 'input.n =='],
  ])('%s in accept', async (_title, expression) => {
    const service = await serve(`flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  accept { when = "${expression}" }
  response { ok = "true" }
}`);
    expect(() => service.deliver('f', { n: 1 })).toThrow(/^accept/);
  });
});
