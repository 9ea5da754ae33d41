import { describe, expect, test } from 'vitest';
import type { FileEntry } from '../../shared/services.ts';
import { foldersAbove, isInside, moveInTree, refusalOf, treeRows, typeAhead } from './tree.ts';

const entries: readonly FileEntry[] = [
  { path: 'service.hcl', kind: 'file' },
  { path: 'flows', kind: 'folder' },
  { path: 'flows/b10.hcl', kind: 'file' },
  { path: 'flows/b2.hcl', kind: 'file' },
  { path: 'flows/deep/Inner.hcl', kind: 'file' },
  { path: 'empty', kind: 'folder' },
];
const open = new Set(['flows']);
const rows = treeRows(entries, open);

describe('lines of the tree', () => {
  test('folders come first, numbers are compared as numbers, closed folders count their files', () => {
    expect(
      rows.map(({ depth, name, kind, position, siblings, files }) => [depth, name, kind, position, siblings, files]),
    ).toEqual([
      [0, 'empty', 'folder', 1, 3, 0],
      [0, 'flows', 'folder', 2, 3, 3],
      [1, 'deep', 'folder', 1, 3, 1],
      [1, 'b2.hcl', 'file', 2, 3, 0],
      [1, 'b10.hcl', 'file', 3, 3, 0],
      [0, 'service.hcl', 'file', 3, 3, 0],
    ]);
  });

  test('a folder that only its files name has a line', () => {
    expect(treeRows([{ path: 'a/b.hcl', kind: 'file' }], new Set()).map(({ path }) => path)).toEqual(['a']);
  });
});

describe('keys', () => {
  test('up and down follow the lines and stop at the ends', () => {
    expect(moveInTree(rows, 'flows/deep', 'ArrowDown')).toEqual({ focus: 'flows/b2.hcl' });
    expect(moveInTree(rows, 'empty', 'ArrowUp')).toBeUndefined();
    expect(moveInTree(rows, 'service.hcl', 'ArrowDown')).toBeUndefined();
    expect(moveInTree(rows, 'flows', 'End')).toEqual({ focus: 'service.hcl' });
    expect(moveInTree(rows, 'flows', 'Home')).toEqual({ focus: 'empty' });
  });

  test('right unfolds, then goes to the first child; nothing in an empty folder or at a file', () => {
    expect(moveInTree(rows, 'flows/deep', 'ArrowRight')).toEqual({ unfold: 'flows/deep' });
    expect(moveInTree(rows, 'flows', 'ArrowRight')).toEqual({ focus: 'flows/deep' });
    expect(moveInTree(treeRows(entries, new Set(['empty'])), 'empty', 'ArrowRight')).toBeUndefined();
    expect(moveInTree(rows, 'service.hcl', 'ArrowRight')).toBeUndefined();
  });

  test('left folds, else goes to the folder above', () => {
    expect(moveInTree(rows, 'flows', 'ArrowLeft')).toEqual({ fold: 'flows' });
    expect(moveInTree(rows, 'flows/b2.hcl', 'ArrowLeft')).toEqual({ focus: 'flows' });
    expect(moveInTree(rows, 'empty', 'ArrowLeft')).toBeUndefined();
  });

  test('letters go to the next name that begins with them, round the end', () => {
    expect(typeAhead(rows, 'empty', 's')).toBe('service.hcl');
    expect(typeAhead(rows, 'flows/b2.hcl', 'b')).toBe('flows/b10.hcl');
    expect(typeAhead(rows, 'flows/b2.hcl', 'bb')).toBe('flows/b10.hcl');
    expect(typeAhead(rows, 'service.hcl', 'de')).toBe('flows/deep');
    expect(typeAhead(rows, 'empty', 'x')).toBeUndefined();
  });
});

describe('paths', () => {
  test('folders above, and what is inside', () => {
    expect(foldersAbove('a/b/c.hcl')).toEqual(['a', 'a/b']);
    expect([isInside('a/b', 'a'), isInside('ab', 'a'), isInside('a', 'a')]).toEqual([true, false, true]);
  });

  test('a name is refused with its reason', () => {
    expect(refusalOf('flows/new.hcl', entries)).toBeUndefined();
    expect(refusalOf('flows/', entries)).toBe('Write a name.');
    expect(refusalOf('../x', entries)).toBe('This is not a path inside the folder.');
    expect(refusalOf('a:b', entries)).toBe('A name holds none of \\ : * ? " < > |');
    expect(refusalOf('flows/b2.hcl', entries)).toBe('flows/b2.hcl exists already.');
    expect(refusalOf('flows/b2.hcl', entries, 'flows/b2.hcl')).toBeUndefined();
  });
});
