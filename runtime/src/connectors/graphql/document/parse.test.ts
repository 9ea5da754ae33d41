import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { isProblem, readDocument } from './parse.ts';

const documents = [
  '{ a }',
  'query { a }',
  'query A { a b: c(d: 1, e: -2.5e3, f: "g\\u00e9\\"", h: [1 2], i: { j: K }) @l(m: true) { n } }',
  'query($a: [ID!]! = ["x"], $b: Int = 3 @c) { d(a: $a, b: $b) }',
  'mutation M($x: Float!) { y(x: $x) { ...F ... on T { z } ... @include(if: true) { w } ... { v } } } fragment F on T { u }',
  'subscription { f { id } }',
  '# note\n{ a(t: """block "quoted" \\""" end""") }',
  '\uFEFF,,{ query mutation: fragment on }',
  '{ a(b: {}) }',
  '{ a(b: []) }',
];

test.each(documents)('reads %s as the reference implementation does', (text) => {
  expect(() => parse(text)).not.toThrow();
  expect(isProblem(readDocument(text))).toBe(false);
});

test('says what a document asks', () => {
  expect(readDocument('query Q($a: [ID!]! = [], $b: Int!, $c: Int) { x: d(a: $a, b: $b, c: $c) e }')).toEqual({
    type: 'query',
    name: 'Q',
    variables: [
      { name: 'a', type: '[ID!]!', isRequired: false },
      { name: 'b', type: 'Int!', isRequired: true },
      { name: 'c', type: 'Int', isRequired: false },
    ],
    keys: ['x', 'e'],
  });
});

test.each([
  ['', 'the document ends where query, mutation, subscription or fragment is expected', 1, 1],
  ['{ a', 'the document ends where a name is expected', 1, 4],
  ['{\n  a(b: )\n}', '")" is written where a value is expected', 2, 8],
  ['{ a } { b }', 'the document has more than one operation: write one', 1, 7],
  ['type A { b: C }', '"type" is written where query, mutation, subscription or fragment is expected', 1, 1],
  ['{ a(b: "c) }', 'a text does not end', 1, 8],
  ['{ a % }', '"%" means nothing here', 1, 5],
  ['query($a: Int) { b }', 'the document declares $a and does not use it', 1, 21],
  ['{ b(c: $a) }', 'the document uses $a, which its operation does not declare', 1, 13],
  ['{ ...F }', 'the document has no fragment F', 1, 9],
  ['{ a } fragment F on T { b }', 'the document does not use its fragment F', 1, 28],
  ['subscription { a b }', 'a subscription selects exactly one field', 1, 21],
  ['query($a: Int = $b) { c(a: $a) }', 'a value here cannot be a variable', 1, 17],
  [`${'{ a '.repeat(300)}${'}'.repeat(300)}`, 'the document is nested deeper than 200 levels', 1, 801],
])('refuses %s', (text, message, line, column) => {
  expect(readDocument(text)).toEqual({ message, line, column });
});

/** A sequence of numbers from 0 to below 1 that is the same in each run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('of thousands of damaged documents it refuses the syntax of exactly those that the reference implementation refuses', () => {
  const random = sequence(7);
  const pieces = [
    '{',
    '}',
    '(',
    ')',
    '$',
    '!',
    '"',
    '"""',
    ':',
    '...',
    '@',
    '[',
    ']',
    ' on ',
    ' a',
    '-',
    '1.',
    '\\',
    '#',
    '=',
    '01',
    '|',
    '&',
  ];
  const differing: string[] = [];
  /** What the reference implementation accepts and a client does not send: about names, and parts that are not executable. */
  const stricter = /^the document (?:has|uses|declares|does not use) |^a subscription selects/;
  for (let at = 0; at < 6000; at++) {
    const text = documents[Math.floor(random() * documents.length)] as string;
    const from = Math.floor(random() * text.length);
    const to = from + Math.floor(random() * 3);
    const damaged = text.slice(0, from) + pieces[Math.floor(random() * pieces.length)] + text.slice(to);
    const read = readDocument(damaged);
    let accepts = true;
    try {
      parse(damaged);
    } catch {
      accepts = false;
    }
    const isRefused = isProblem(read) && !(accepts && stricter.test(read.message));
    if (isRefused === accepts) differing.push(`${accepts}: ${damaged} ${isProblem(read) ? read.message : ''}`);
  }
  expect(differing).toEqual([]);
});
