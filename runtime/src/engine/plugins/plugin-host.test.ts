import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { answering, assemble, moduleText } from '../../../../test/support/wasm.ts';
import { typed } from '../../cli/testing/typed.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { planServices } from '../plan/testing/plan-services.ts';
import { PluginHost } from './plugin-host.ts';

const manifest = (name: string) =>
  `plugin {\n  name    = "${name}"\n  version = "1.0.0"\n}\nprovides {\n  functions {\n    wasm    = "m.wasm"\n    exports = ["${name}_far"]\n  }\n}\n`;

test('plugins that are installed are known by what the lock says, those in place are not', async () => {
  const directory = folderWith({
    'a.hcl':
      'plugin "geo" {\n  source = "./own/geo"\n}\nplugin "tax" {\n  source = "./own/tax"\n  copy   = true\n}\nservice {\n}\n',
    'own/geo/plugin.hcl': manifest('geo'),
    'own/tax/plugin.hcl': manifest('tax'),
  });
  for (const name of ['geo', 'tax'])
    writeFileSync(join(directory, 'own', name, 'm.wasm'), await assemble(moduleText(answering(`${name}_far`, '1'))));
  expect(await typed(['plugin', 'install'], directory)).toMatchObject({ status: 0 });
  const { plugins } = JSON.parse(readFileSync(join(directory, 'plugins.lock'), 'utf8'));
  const { project, diagnostics } = await loadConfiguration(directory, {
    environment: {},
    workingDirectory: directory,
    workers: 1,
    tests: false,
  });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const host = new PluginHost(project, { ...planServices(), directory });
  expect((await host.plugins()).map(({ name, hash }) => [name, hash])).toEqual([
    ['geo', undefined],
    ['tax', plugins.tax.sha256],
  ]);
  // It is what it was when the generation began.
  writeFileSync(join(directory, 'plugins.lock'), '{');
  expect((await host.plugins())[1]?.hash).toBe(plugins.tax.sha256);
  expect((await new PluginHost(project, { ...planServices(), directory }).plugins())[1]?.hash).toBeUndefined();
});
