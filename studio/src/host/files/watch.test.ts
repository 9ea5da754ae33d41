import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { type Opened, openHost } from '../testing/opened.ts';

const changes = ({ emitted }: Opened) =>
  emitted.flatMap((each) => (each.event === 'files.changed' ? each.params.changes : []));

test('changes of others are reported, those of the window and of hidden files are not', async () => {
  const host = await openHost({ 'a.hcl': 'one', 'b.hcl': '' });
  await host.services['files.write']({ path: 'a.hcl', text: 'mine' });
  writeFileSync(join(host.directory, '.hidden'), '');
  mkdirSync(join(host.directory, 'node_modules'));
  writeFileSync(join(host.directory, 'node_modules', 'x.js'), '');
  writeFileSync(join(host.directory, '.env'), 'A=1');
  rmSync(join(host.directory, 'b.hcl'));
  await until(() => changes(host).some(({ path }) => path === 'b.hcl'));
  await until(() => changes(host).some(({ path }) => path === '.env'));
  writeFileSync(join(host.directory, 'a.hcl'), 'theirs');
  await until(() => changes(host).some(({ path }) => path === 'a.hcl'));
  expect(changes(host).toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: '.env', kind: 'changed' },
    { path: 'a.hcl', kind: 'changed' },
    { path: 'b.hcl', kind: 'deleted' },
  ]);
});

test('what is in a folder that came later is reported too', async () => {
  const host = await openHost();
  mkdirSync(join(host.directory, 'flows/deep'), { recursive: true });
  writeFileSync(join(host.directory, 'flows/deep/a.hcl'), '');
  await until(() => changes(host).some(({ path }) => path === 'flows/deep/a.hcl'));
  renameSync(join(host.directory, 'flows'), join(host.directory, 'types'));
  await until(() => changes(host).some(({ path }) => path === 'types/deep/a.hcl'));
  expect(changes(host)).toContainEqual({ path: 'flows', kind: 'deleted' });
});

test('another folder is watched after it was opened, the first one no more', async () => {
  const [host, other] = [await openHost({ 'a.hcl': '' }), await openHost({ 'b.hcl': '' })];
  await host.services['project.open']({ directory: other.directory });
  writeFileSync(join(host.directory, 'a.hcl'), 'x');
  writeFileSync(join(other.directory, 'b.hcl'), 'x');
  await until(() => changes(host).length > 0);
  expect(changes(host)).toEqual([{ path: 'b.hcl', kind: 'changed' }]);
});
