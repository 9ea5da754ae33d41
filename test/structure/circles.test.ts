import { expect, test } from 'vitest';
import { circlesOf } from './circles.ts';
import { readSources } from './sources.ts';

/** A circle that stays, and why its files need each other. */
interface Known {
  readonly folder: string;
  /** Their names in the folder. */
  readonly files: readonly string[];
  readonly because: string;
}

const known: readonly Known[] = [
  {
    folder: 'protocol/src/cel/check',
    files: ['calls.ts', 'checker.ts'],
    because: 'The arguments of a call are expressions, which are checked as the call is.',
  },
  {
    folder: 'protocol/src/cel/compile',
    files: ['call.ts', 'compiler.ts', 'comprehension.ts', 'logic.ts', 'operators.ts'],
    because: 'Operands of each kind of expression are expressions, which are compiled as it is.',
  },
  {
    folder: 'protocol/src/cel/generate',
    files: ['comprehension.ts', 'generator.ts', 'operators.ts'],
    because: 'Operands of each kind of expression are expressions, whose code is a part of its code.',
  },
  {
    folder: 'protocol/src/schema',
    files: ['block.ts', 'connector.ts', 'dependent.ts'],
    because: 'What a block takes may depend on a value of it, and is blocks and attributes again.',
  },
  {
    folder: 'protocol/src/syntax/hcl',
    files: [
      ...['access.ts', 'collection.ts', 'expression.ts', 'for.ts', 'heredoc.ts', 'quoted.ts', 'sequence.ts'],
      'term.ts',
    ],
    because: 'Expressions of HCL are in lists, templates, brackets and loops, which are expressions.',
  },
  {
    folder: 'protocol/src/syntax/hcl',
    files: ['body.ts', 'item.ts'],
    because: 'A body holds items, and an item that is a block holds a body.',
  },
  {
    folder: 'studio/src/renderer/forms',
    files: ['entries.tsx', 'field.tsx'],
    because: 'A field of a form may hold entries, each of which has fields.',
  },
];

test('files import each other in no circle but those that are known, types included', () => {
  const inspected = readSources().filter(({ path }) => !/\.test\.tsx?$/.test(path));
  const edges = new Map(
    inspected.map(({ path, imports }) => [path, imports.flatMap(({ file }) => (file === undefined ? [] : [file]))]),
  );
  expect(circlesOf(edges)).toEqual(known.map(({ folder, files }) => files.map((file) => `${folder}/${file}`)));
  expect(known.length).toBeLessThanOrEqual(8);
});

test('a circle is found however long it is, without what only leads to it or away from it', () => {
  const edges = {
    to: ['c'],
    a: ['b'],
    b: ['c', 'away'],
    c: ['a', 'x'],
    x: ['y'],
    y: ['x'],
    away: [],
    itself: ['itself'],
  };
  expect(circlesOf(new Map(Object.entries(edges)))).toEqual([
    ['a', 'b', 'c'],
    ['x', 'y'],
  ]);
});
