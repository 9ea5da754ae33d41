import { LineIndex } from '@svc/protocol/text';
import { expect, test } from 'vitest';
import { isInsideQuotes, type Lines, toCompletion, toSymbol } from './convert.ts';

function linesOf(text: string): Lines {
  const index = new LineIndex(text);
  return {
    getPositionAt: (offset) => {
      const { line, column } = index.position(offset);
      return { lineNumber: line, column };
    },
  };
}

const range = { startLineNumber: 1, startColumn: 5, endLineNumber: 1, endColumn: 7 };

test('a name in quotes is compared and written with its quotes', () => {
  const edit = { range: { start: 4, end: 6 }, text: '"db"' };
  const item = {
    label: 'db',
    kind: 'name',
    detail: 'connector',
    doc: undefined,
    edit,
    snippet: undefined,
    rank: 0,
  } as const;
  expect(toCompletion(item, 3, linesOf('a = ""'), '')).toEqual({
    label: { label: 'db', description: 'connector' },
    kind: 21,
    detail: 'connector',
    sortText: '0003',
    filterText: '"db"',
    insertText: '"db"',
    range,
  });
});

test('an attribute is a snippet, and its values are asked for next', () => {
  const edit = { range: { start: 4, end: 6 }, text: 'when = ' };
  const item = {
    label: 'when',
    kind: 'attribute',
    detail: 'cel',
    doc: 'A **condition**.',
    edit,
    snippet: 'when = "$0"',
    rank: 0,
  } as const;
  expect(toCompletion(item, 0, linesOf('    wh'), '')).toEqual({
    label: { label: 'when', description: 'cel' },
    kind: 9,
    detail: 'cel',
    documentation: { value: 'A **condition**.' },
    sortText: '0000',
    filterText: 'when',
    insertText: 'when = "$0"',
    insertTextRules: 4,
    range,
    command: { id: 'editor.action.triggerSuggest', title: 'Suggest' },
  });
});

test('a function brings its brackets, unless they are there', () => {
  const edit = { range: { start: 4, end: 6 }, text: 'size' };
  const item = {
    label: 'size',
    kind: 'function',
    detail: 'size(x: list) -> int',
    doc: undefined,
    edit,
    snippet: 'size($0)',
    rank: 2,
  } as const;
  const lines = linesOf('    si');
  expect(toCompletion(item, 0, lines, ' > 1')).toMatchObject({
    label: { label: 'size', description: 'int' },
    insertText: 'size($0)',
    command: { id: 'editor.action.triggerParameterHints' },
  });
  const called = toCompletion(item, 0, lines, '(input)');
  expect(called).toMatchObject({ insertText: 'size' });
  expect(called).not.toHaveProperty('insertTextRules');
});

test('quotes open and close', () => {
  expect(['a = ', 'a = "', 'a = "b"', 'a = "b\\"', 'a = "b" + "'].map(isInsideQuotes)).toEqual([
    false,
    true,
    false,
    true,
    true,
  ]);
});

test('symbols keep their tree', () => {
  const place = { start: 0, end: 4 };
  const child = { name: 'from', kind: 'from', family: undefined, range: place, selection: place, children: [] };
  const symbol = { name: 'a', kind: 'flow', family: undefined, range: place, selection: place, children: [child] };
  const shown = { startLineNumber: 1, startColumn: 1, endLineNumber: 1, endColumn: 5 };
  expect(toSymbol(symbol, linesOf('flow'))).toEqual({
    name: 'a',
    detail: 'flow',
    kind: 4,
    tags: [],
    range: shown,
    selectionRange: shown,
    children: [{ name: 'from', detail: '', kind: 18, tags: [], range: shown, selectionRange: shown, children: [] }],
  });
});
