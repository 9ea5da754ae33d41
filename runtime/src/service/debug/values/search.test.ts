import { expect, test } from 'vitest';
import { search } from './search.ts';
import { Secrecy } from './snapshot.ts';

const scope = {
  input: {
    order: { Number: 1205, lines: [{ name: 'Lamp', price: 12.5 }] },
    headers: { cookie: 'lamp=1' },
    password: 'lamp',
  },
  output: undefined,
  step: { known: { rows: 12n, ok: true, nothing: null } },
  enriched: {},
};
const find = (text: string, most = 100, masksNames = false) => search(scope, text, most, new Secrecy(masksNames));

test('names and values are found, whatever their case, in every variable', () => {
  expect(find('LAMP')).toEqual({
    matches: [
      { path: ['input', 'order', 'lines', '0', 'name'], value: 'Lamp' },
      { path: ['input', 'password'], value: 'lamp' },
    ],
    truncated: false,
  });
  expect(find('12').matches.map(({ path }) => path.join('.'))).toEqual([
    'input.order.Number',
    'input.order.lines.0.price',
    'steps.known.rows',
  ]);
  expect(find('number').matches).toEqual([{ path: ['input', 'order', 'Number'], value: 1205 }]);
  expect(find('tru').matches).toEqual([{ path: ['steps', 'known', 'ok'], value: true }]);
});

test('what is hidden is found by its name alone and shown masked', () => {
  expect(find('cookie').matches).toEqual([{ path: ['input', 'headers', 'cookie'], value: '***' }]);
  expect(find('lamp', 100, true).matches.map(({ path }) => path.at(-1))).toEqual(['name']);
});

test('a search ends at its limit, at the deepest level and after so many values, and says so', () => {
  expect(find('12', 2)).toMatchObject({ matches: { length: 2 }, truncated: true });
  const deep = { input: {} as Record<string, unknown>, step: { last: 'here' } };
  let inner = deep.input;
  for (let at = 0; at < 100; at++) inner = inner['a'] = {} as Record<string, unknown>;
  expect(search(deep, 'here', 10, new Secrecy(false))).toEqual({ matches: [], truncated: true });
  const wide = { input: Array.from({ length: 300_000 }, () => 'here'), step: {} };
  expect(search(wide, 'there', 10, new Secrecy(false))).toEqual({ matches: [], truncated: true });
});
