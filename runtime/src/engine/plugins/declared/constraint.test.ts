import { satisfies } from 'semver';
import { expect, test } from 'vitest';
import { readConstraint } from './constraint.ts';

const versions = ['0.9.0', '1.0.0', '1.0.5', '1.9.3', '2.0.0-beta.1', '2.0.0', '2.0.7', '2.1.0', '3.0.0-rc.1', '3.0.0'];

test.each([
  ['latest', ['0.9.0', '1.0.0', '1.0.5', '1.9.3', '2.0.0', '2.0.7', '2.1.0', '3.0.0']],
  ['^1.0', ['1.0.0', '1.0.5', '1.9.3']],
  ['^v1.0.1', ['1.0.5', '1.9.3']],
  ['~2.0', ['2.0.0', '2.0.7']],
  ['~> 2.0', ['2.0.0', '2.0.7']],
  ['~>2.0.5', ['2.0.7']],
  ['>= 1.0, < 3.0', ['1.0.0', '1.0.5', '1.9.3', '2.0.0', '2.0.7', '2.1.0']],
  ['>=1.0,<2.0.0', ['1.0.0', '1.0.5', '1.9.3']],
  ['> 1.0.5, <= 2.0.0', ['1.9.3', '2.0.0']],
  ['1.0.5', ['1.0.5']],
  ['v1.0.5', ['1.0.5']],
  ['= 1.0.5', ['1.0.5']],
  [' 1.0.5 ', ['1.0.5']],
  ['2.0.0-beta.1', ['2.0.0-beta.1']],
  ['v3.0.0-rc.1', ['3.0.0-rc.1']],
])('%s allows these versions, and pre-releases only where one is named exactly', (written, allowed) => {
  const read = readConstraint(written);
  if ('problem' in read) throw new Error(read.problem);
  expect(versions.filter((version) => satisfies(version, read.range))).toEqual(allowed);
});

test.each([
  '',
  'main',
  '--upload-pack=x',
  '-1.0.0',
  '1',
  '1.2',
  '1.2.3.4',
  '01.2.3',
  '1.2.3+build',
  '^2.0.0-beta.1',
  '>= 1.0 < 2.0',
  '^1.0 || ^2.0',
  '1.x',
  '*',
  '1.0.0 - 2.0.0',
  'latest, ^1.0',
  '^1.0,',
  '>= 99999999999999999999.0',
  '１.0.0',
  `1.0.0-${'a'.repeat(200)}`,
  Array.from({ length: 50 }, () => '>= 1.0').join(', '),
  '1.0.0\n--exec',
])('S-84: %j is not a version', (written) => {
  expect(readConstraint(written)).toEqual({ problem: expect.any(String), help: expect.any(String) });
});
