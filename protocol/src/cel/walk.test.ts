import { describe, expect, test } from 'vitest';
import { parseTolerant } from './parser.ts';
import { placeAt } from './walk.ts';

/** The texts of the nodes around the mark `|`, and the names that are declared there. */
function around(marked: string): { nodes: string[]; locals: readonly string[] } {
  const offset = marked.indexOf('|');
  const source = marked.replace('|', '');
  const { nodes, locals } = placeAt(parseTolerant(source).expression, offset);
  return { nodes: nodes.map(({ start, end }) => source.slice(start, end)), locals: locals.map(({ name }) => name) };
}

describe('the place of a cursor', () => {
  test.each([
    ['input.a|', { nodes: ['input.a'], locals: [] }],
    ['input.|', { nodes: ['input.'], locals: [] }],
    ['in|put.a', { nodes: ['input.a', 'input'], locals: [] }],
    ['a + lower(input.|)', { nodes: ['a + lower(input.)', 'lower(input.)', 'input.'], locals: [] }],
    ['l.map(x, x.|)', { nodes: ['l.map(x, x.)', 'x.'], locals: ['x'] }],
    ['l.map(x, x.l.all(y, y|))', { nodes: ['l.map(x, x.l.all(y, y))', 'x.l.all(y, y)', 'y'], locals: ['x', 'y'] }],
    ['cel.bind(n, 1, |n)', { nodes: ['cel.bind(n, 1, n)', 'n'], locals: ['n'] }],
    ["{'a': |", { nodes: ["{'a':", ''], locals: [] }],
    ['a == |', { nodes: ['a ==', ''], locals: [] }],
    ['f(a, | )', { nodes: ['f(a,  )', '  '], locals: [] }],
  ])('%s', (marked, place) => {
    expect(around(marked)).toEqual(place);
  });
});
