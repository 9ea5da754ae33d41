import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { until } from '../../../../test/support/until.ts';
import { fileStamp } from '../../engine/plugins/host/module-file.ts';
import { NamedFiles } from './named-files.ts';
import { watchConfiguration } from './watch.ts';

const stamped = (directory: string, ...paths: readonly string[]) =>
  new Map(paths.map((path) => [join(directory, path), fileStamp({ path }, directory)]));

test('files are noticed when they change, go, come and are replaced with their folder, once each', async () => {
  const directory = folderWith({ 'build/a.wasm': '1', '.hidden/b.wasm': '1', 'c.wasm': '1' });
  const named = new NamedFiles(directory);
  named.note(stamped(directory, 'build/a.wasm', '.hidden/b.wasm', 'c.wasm', 'absent.wasm'));
  let count = 0;
  const stop = watchConfiguration({ directory, changed: () => count++, settle: 1, named, lookEvery: 5 });
  const noticed = async (change: () => void) => {
    const before = count;
    change();
    await until(() => count > before);
  };
  try {
    await noticed(() => writeFileSync(join(directory, 'build/a.wasm'), '22'));
    await noticed(() => writeFileSync(join(directory, '.hidden/b.wasm'), '22'));
    await noticed(() => rmSync(join(directory, 'c.wasm')));
    await noticed(() => writeFileSync(join(directory, 'c.wasm'), '1'));
    await noticed(() => writeFileSync(join(directory, 'absent.wasm'), '1'));
    await noticed(() => {
      mkdirSync(join(directory, 'next'));
      writeFileSync(join(directory, 'next/a.wasm'), '22');
      rmSync(join(directory, 'build'), { recursive: true });
      renameSync(join(directory, 'next'), join(directory, 'build'));
    });
    // What is not read now is what it was.
    named.note(undefined);
    await noticed(() => writeFileSync(join(directory, 'build/a.wasm'), '333'));
  } finally {
    stop();
  }
});

test('what is watched as configuration is left to that, unless a link leads to it', () => {
  const outside = folderWith({ 'plugin.hcl': '1' });
  const directory = folderWith({ 'in/plugin.hcl': '1' });
  symlinkSync(outside, join(directory, 'linked'));
  const named = new NamedFiles(directory);
  named.note(stamped(directory, 'in/plugin.hcl', 'linked/plugin.hcl'));
  const seen: string[] = [];
  const looked = new Promise<void>((resolve) => {
    const stop = named.watch(
      5,
      (path) => {
        seen.push(path);
        return true;
      },
      () => {
        stop();
        resolve();
      },
    );
  });
  writeFileSync(join(directory, 'in/plugin.hcl'), '22');
  writeFileSync(join(outside, 'plugin.hcl'), '22');
  return looked.then(() => expect(seen).toEqual(['in/plugin.hcl']));
});
