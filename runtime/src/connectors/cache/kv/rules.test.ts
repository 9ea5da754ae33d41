import { expect, test } from 'vitest';
import { problemOf, problemsOf } from '../../../checks/rules/testing/problems.ts';

const cache = (...lines: readonly string[]) =>
  `connector "c" {\n  type   = "cache"\n  driver = "redis"\n${lines.join('\n')}\n}\n`;
const cluster = '  cluster {\n    nodes = ["a:6379"]\n  }';
const sentinel = '  sentinel {\n    master_name = "main"\n    nodes       = ["a"]\n  }';
const url = '  url    = "redis://a"';
const mode = (name: string) => `  mode   = "${name}"`;

const other = (word: string) => `conflicting-attributes «${word}»`;
const lacks = 'missing-attribute «"c"»';

test.each([
  ['a server', [url], []],
  ['a cluster', [mode('cluster'), cluster], []],
  ['sentinels', [mode('sentinel'), sentinel], []],
  ['a cluster without its mode', [cluster], [other('cluster')]],
  ['sentinels without their mode', [sentinel], [other('sentinel')]],
  ['a mode without its cluster', [mode('cluster')], [lacks]],
  ['a cluster in the mode of sentinels', [mode('sentinel'), cluster], [other('cluster'), lacks]],
  ['sentinels in the mode of a cluster', [mode('cluster'), sentinel], [other('sentinel'), lacks]],
  ['a cluster in the mode of one server', [mode('standalone'), cluster], [other('cluster')]],
  ['a mode that the environment gives', ['  mode   = env("MODE")', cluster], [other('cluster'), lacks]],
  ['both', [mode('cluster'), cluster, sentinel], [other('sentinel')]],
  ['the address of one server beside a cluster', [mode('cluster'), url, cluster], [other('"redis://a"')]],
  ['its password beside sentinels', [mode('sentinel'), '  password = "p"', sentinel], [other('"p"')]],
  ['two addresses', [url, '  host   = "b"'], [other('"b"')]],
  ['an unknown mode', [mode('ring'), cluster], ['unknown-value «"ring"»']],
])('%s: what `svc validate` says', (_, lines, expected) => {
  const found = problemsOf(cache(...lines), { environment: { MODE: 'sentinel' } });
  // No flow is written that uses it.
  expect(found.filter((problem) => problem !== 'info unused «"c"»').sort()).toEqual(expected);
});

test('a block of another mode is refused by name, with what to write', () => {
  const { message, help } = problemOf('conflicting-attributes', cache(cluster));
  expect([message, help]).toEqual([
    'connector "c": cluster has no effect when mode is "standalone"',
    'Write mode = "cluster", or leave out cluster.',
  ]);
});
