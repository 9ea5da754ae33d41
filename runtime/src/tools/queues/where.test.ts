import { describe, expect, test } from 'vitest';
import { conditionOf } from './where.ts';

const message = (body: unknown) =>
  ({
    source: 'orders.in',
    position: '1',
    key: 'order.new',
    headers: { tenant: 'a' },
    content: Buffer.from(JSON.stringify(body)),
  }) as never;

const isChosen = async (text: string, body: unknown): Promise<boolean> => {
  const condition = conditionOf(text);
  if (typeof condition === 'string') throw new Error(condition);
  return condition(message(body));
};

describe('a condition on messages', () => {
  test('reads what the broker has of a message, and chooses none for which it cannot be evaluated', async () => {
    const text = "input.body.total > 3 && input.headers.tenant == 'a' && input.key == 'order.new'";
    expect([await isChosen(text, { total: 4 }), await isChosen(text, { total: 3 }), await isChosen(text, {})]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('S-59: reaches nothing of the host', async () => {
    for (const text of [
      'has(input.constructor)',
      'has(input.body.constructor)',
      'has(input.body.__proto__) && input.body.__proto__ != null',
      "'toString' in input.body",
    ])
      expect([text, await isChosen(text, {})]).toEqual([text, false]);
    for (const text of ['process.exit(1)', "require('fs')", 'globalThis'])
      expect([text, typeof conditionOf(text)]).toEqual([text, 'string']);
  });

  test('S-59: ends, however much it asks of a message', async () => {
    const body = { list: Array.from({ length: 10_000 }, (_, at) => at), text: 'a'.repeat(50_000) };
    const all = (name: string, inner: string) => `input.body.list.all(${name}, ${inner})`;
    expect(await isChosen(all('a', all('b', all('c', 'a + b + c >= 0'))), body)).toBe(false);
    expect(await isChosen("input.body.text.matches('^(a+)+b$')", body)).toBe(false);
  });
});
