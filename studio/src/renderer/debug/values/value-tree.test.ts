import type { Variables } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { countOf } from '../../values/values.ts';
import { ValueTree } from './value-tree.ts';

function variables(input: unknown, more: Partial<Variables> = {}): Variables {
  return { input, output: {}, enriched: {}, steps: {}, forced: [], ...more };
}

const shown = (tree: ValueTree, now: Variables, before?: Variables) =>
  tree
    .rows(now, before)
    .map(({ depth, key, text, note, isOpen }) => `${depth} ${key} ${text} ${note} ${isOpen ?? '-'}`);

test('scopes, lists and maps open lazily and stay open', () => {
  const tree = new ValueTree();
  const now = variables({ items: [{ sku: 'a b', qty: 2 }], 'content-type': 'x' });
  expect(shown(tree, now)).toEqual([
    '0 input   true',
    '1 items [{sku: "a b", qty: 2}] list false',
    '1 content-type "x"  -',
    '0 output  empty -',
    '0 step  empty -',
    '0 enriched  empty -',
  ]);
  tree.reveal(['input', 'items', '0', 'qty']);
  const rows = tree.rows(now, undefined);
  expect(rows.filter(({ depth }) => depth > 1).map(({ expression, path }) => [expression, path])).toEqual([
    ['input.items[0]', ['input', 'items', '0']],
    ['input.items[0].sku', ['input', 'items', '0', 'sku']],
    ['input.items[0].qty', ['input', 'items', '0', 'qty']],
  ]);
  expect(rows.find(({ key }) => key === 'content-type')?.expression).toBe('input["content-type"]');
});

test('what changed since the stop before, what was forced and what is hidden is said', () => {
  const tree = new ValueTree();
  const forced = [{ path: ['input', 'price'], was: 6.5 }];
  const now = variables({ price: 4.9, id: 1, password: '***' }, { forced });
  const rows = tree.rows(now, variables({ price: 6.5, id: 1, password: '***' })).slice(1, 4);
  expect(rows.map(({ key, isChanged, note }) => [key, isChanged, note])).toEqual([
    ['price', true, 'forced, was 6.5'],
    ['id', false, ''],
    ['password', false, 'masked'],
  ]);
  expect(tree.rows(now, undefined).some(({ isChanged }) => isChanged)).toBe(false);
});

test('a token is masked, opens into what it says, and shows its text when it is asked for', () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'HS256' })}.${part({ sub: 'ana', exp: 1_800_000_000 })}.c2ln`;
  const tree = new ValueTree();
  const now = variables({ token, note: 'x' });
  expect(shown(tree, now).slice(1, 3)).toEqual(['1 token ••••••••  false', '1 note "x"  -']);
  tree.toggle('input\u0000token');
  expect(shown(tree, now).slice(1, 7)).toEqual([
    '1 token ••••••••  true',
    '2 header {1}  true',
    '3 alg "HS256"  -',
    '2 claims {2} not verified true',
    '3 sub "ana"  -',
    '3 exp 1800000000  -',
  ]);
  const rows = tree.rows(now, undefined);
  expect(rows.filter(({ moment }) => moment !== undefined).map(({ key, moment }) => [key, moment])).toEqual([
    ['exp', 1_800_000_000_000],
  ]);
  tree.toggle('input\u0000token\u0000header');
  expect(tree.rows(now, undefined).some(({ key }) => key === 'alg')).toBe(false);
  tree.unmask('input\u0000token');
  expect(tree.rows(now, undefined)[1]?.text).toBe(JSON.stringify(token));
  tree.forgetPages();
  expect(tree.rows(now, undefined)[1]?.text).toBe('••••••••');
});

test('a long list is drawn in pieces, and what the service cut is read from it', () => {
  const tree = new ValueTree();
  const list = [...Array.from({ length: 150 }, (_, index) => index), '… 850 more'];
  const now = variables({ list });
  tree.toggle('input\u0000list');
  const more = () => tree.rows(now, undefined).find(({ kind }) => kind === 'more')!;
  expect(more().note).toBe('900 more');
  expect(tree.more(more())).toEqual({ path: ['input', 'list'], start: 150, count: 100 });
  const page = Array.from({ length: 100 }, (_, index) => ({ key: String(150 + index), value: 150 + index }));
  tree.paged(['input', 'list'], list, 150, 1000, page);
  const rows = tree.rows(now, undefined);
  expect(rows.filter(({ depth, kind }) => depth === 2 && kind === 'member').at(-1)?.value).toBe(199);
  expect(more().note).toBe('800 more');
});

test('what only this place reads is below the rest, single values with theirs', () => {
  const tree = new ValueTree();
  const now = variables({}, { others: { _flow: 'order', result: { affected: 1 } } });
  tree.toggle('result');
  expect(
    tree
      .rows(now, undefined)
      .slice(4)
      .map(({ id, depth, text, expression }) => [id, depth, text, expression]),
  ).toEqual([
    ['_flow', 0, '"order"', '_flow'],
    ['result', 0, '', 'result'],
    ['result\u0000affected', 1, '1', 'result.affected'],
  ]);
});

test('a list that the service cut says its true length', () => {
  const tree = new ValueTree();
  const list = [...Array.from({ length: 100 }, (_, index) => index), '… 900 more'];
  tree.toggle('input\u0000list');
  expect(tree.rows(variables({ list }), undefined).find(({ key }) => key === 'list')?.text).toBe('[1000]');
  expect(countOf({ a: 1, '…': '41 more' })).toBe('{42}');
});
