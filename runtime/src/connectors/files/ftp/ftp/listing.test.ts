import { parseList } from 'basic-ftp';
import { expect, test } from 'vitest';
import { entriesIn, timeForPeople, timeFrom } from './listing.ts';

const now = Date.UTC(2026, 10, 26, 21, 0);

test('lists for programs have kinds, sizes and times; the folder itself is not an entry', () => {
  const list = [
    'type=cdir;modify=20240101000000; /home',
    'type=pdir;modify=20240101000000; ..',
    'Type=file;Size=12;Modify=20240229123456.5;UNIX.mode=0644; a b; c.txt',
    'type=dir;modify=20240101000000; folder',
    'type=OS.unix=slink:/etc/passwd;size=11; link',
    'type=file;size=-1;modify=soon; odd',
  ];
  expect(entriesIn(`${list.join('\r\n')}\r\n`, parseList)).toEqual([
    { name: 'a b; c.txt', kind: 'file', size: 12, modified: Date.UTC(2024, 1, 29, 12, 34, 56, 500) },
    { name: 'folder', kind: 'folder', size: 0, modified: Date.UTC(2024, 0, 1) },
    { name: 'link', kind: 'link', size: 11, modified: undefined },
    { name: 'odd', kind: 'file', size: 0, modified: undefined },
  ]);
});

test('lists for people are read too', () => {
  const list = [
    'total 12',
    'drwxr-xr-x    2 108      111          4096 Nov 26 20:38 folder',
    '-rw-r--r--    1 108      111             3 Nov 26 20:38 ä  b.txt',
    '-rw-r--r--    1 108      111             4 Jan 02  2024 old',
    'lrwxrwxrwx    1 108      111             7 Nov 26 20:38 link -> a/b',
  ];
  expect(entriesIn(list.join('\r\n'), parseList, now)).toEqual([
    { name: 'folder', kind: 'folder', size: 4096, modified: Date.UTC(2026, 10, 26, 20, 38) },
    { name: 'ä  b.txt', kind: 'file', size: 3, modified: Date.UTC(2026, 10, 26, 20, 38) },
    { name: 'old', kind: 'file', size: 4, modified: Date.UTC(2024, 0, 2) },
    { name: 'link', kind: 'link', size: 7, modified: Date.UTC(2026, 10, 26, 20, 38) },
  ]);
  expect(entriesIn('', parseList)).toEqual([]);
});

test('a time without a year is of the last twelve months', () => {
  expect(timeForPeople('Nov 26 20:38', now)).toBe(Date.UTC(2026, 10, 26, 20, 38));
  expect(timeForPeople('Nov 29 20:38', now)).toBe(Date.UTC(2025, 10, 29, 20, 38));
  expect(timeForPeople('2024-02-03 04:05', now)).toBe(Date.UTC(2024, 1, 3, 4, 5));
  expect(timeForPeople('soon', now)).toBeUndefined();
  expect([timeFrom('20240229123456'), timeFrom('x')]).toEqual([Date.UTC(2024, 1, 29, 12, 34, 56), undefined]);
});
