import type { StructureItem } from '@svc/protocol/language';
import type { Diagnostic } from '@svc/protocol/text';
import { expect, test } from 'vitest';
import { lookOf } from './look.ts';
import { outlineRows, rowAt } from './rows.ts';
import { titleOf, trailAt } from './trail.ts';
import { treeStep } from './tree-keys.ts';

function item(word: string, start: number, end: number, more: Partial<StructureItem> = {}): StructureItem {
  const place = { start, end };
  const base = { kind: 'block', name: '', detail: '', family: undefined, connector: undefined, children: [] } as const;
  return { ...base, word, range: place, selection: place, ...more };
}

const from = item('from', 10, 20, {
  name: 'broker',
  family: 'gate',
  connector: 'queue',
  children: [item('connector', 12, 18, { kind: 'attribute', family: 'gate' })],
});
const rule = item('urgent', 32, 38, { kind: 'rule', family: 'shape' });
const transform = item('transform', 30, 40, { family: 'shape', detail: '1 rule', children: [rule] });
const flow = item('flow', 0, 50, { name: 'reserve', children: [from, transform] });

function problem(start: number, severity: Diagnostic['severity']): Diagnostic {
  const range = { start, end: start + 1 };
  return { code: 'a', severity, family: 'config', message: 'a', file: 'a.hcl', range };
}

test('the path to a place holds every item around it', () => {
  expect(trailAt([flow], 34).map((one) => titleOf(one, one === flow))).toEqual(['reserve', 'transform', 'urgent']);
  expect(trailAt([flow], 15).map((one) => titleOf(one, one === flow))).toEqual(['reserve', 'from broker', 'connector']);
  expect(trailAt([flow], 60)).toEqual([]);
});

test('a file with one root shows its inside, with what is wrong there', () => {
  const { name, rows } = outlineRows(
    [flow],
    new Set(),
    [problem(12, 'warning'), problem(33, 'error')],
    [{ offset: 38, label: 'bool' }],
  );
  expect(name).toBe('reserve');
  expect(
    rows.map(({ id, level, isOpen, title, detail, severity }) => [id, level, isOpen, title, detail, severity]),
  ).toEqual([
    ['/from broker', 1, undefined, 'from broker', '', 'warning'],
    ['/transform', 1, true, 'transform', '1 rule', undefined],
    ['/transform/urgent', 2, undefined, 'urgent', 'bool', 'error'],
  ]);
  expect(rowAt(rows, 34)?.id).toBe('/transform/urgent');
  expect(rowAt(rows, 5)).toBe(undefined);
});

test('a closed row shows what is wrong inside', () => {
  const { rows } = outlineRows([flow], new Set(['/transform']), [problem(33, 'error')], []);
  expect(rows.map(({ title, isOpen, severity }) => [title, isOpen, severity])).toEqual([
    ['from broker', undefined, undefined],
    ['transform', false, 'error'],
  ]);
});

test('several roots are rows themselves, equal ones are distinguished', () => {
  const { name, rows } = outlineRows(
    [item('flow', 0, 5, { name: 'a' }), item('flow', 6, 9, { name: 'a' })],
    new Set(),
    [],
    [],
  );
  expect(name).toBe(undefined);
  expect(rows.map(({ id, title }) => [id, title])).toEqual([
    ['/flow a', 'a'],
    ['/flow a#2', 'a'],
  ]);
});

test('a stage looks like its family, a source like its connector', () => {
  expect([from, transform, rule, flow].map(lookOf)).toEqual([
    { icon: 'queue-kind', className: 'ink k-queue' },
    { icon: 'shape', className: 'ink shape' },
    { icon: 'field', className: 'faint' },
    { icon: 'flow', className: undefined },
  ]);
});

test('arrow keys walk a tree', () => {
  const rows = [
    { id: 'a', level: 1, isOpen: true },
    { id: 'b', level: 2, isOpen: undefined },
    { id: 'c', level: 1, isOpen: false },
  ];
  const steps = [
    [undefined, 'ArrowDown', { go: 'a' }],
    ['a', 'ArrowDown', { go: 'b' }],
    ['a', 'ArrowUp', { go: 'a' }],
    ['b', 'ArrowLeft', { go: 'a' }],
    ['a', 'ArrowLeft', { toggle: 'a' }],
    ['c', 'ArrowLeft', undefined],
    ['c', 'ArrowRight', { toggle: 'c' }],
    ['a', 'ArrowRight', { go: 'b' }],
    ['b', 'ArrowRight', undefined],
    ['b', 'End', { go: 'c' }],
    ['c', 'Home', { go: 'a' }],
    ['c', 'x', undefined],
  ] as const;
  for (const [current, key, step] of steps) expect(treeStep(rows, current, key), `${current} ${key}`).toEqual(step);
  expect(treeStep([], undefined, 'ArrowDown')).toBe(undefined);
});
