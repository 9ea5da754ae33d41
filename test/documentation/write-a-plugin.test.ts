import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startModules, stopServices } from '../../runtime/src/engine/plugins/testing/service.ts';
import { compileAssemblyScript } from '../support/assembly-script.ts';
import { runCommand } from '../support/service.ts';

afterEach(stopServices);

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs/write-a-plugin.md'), 'utf8');
/** The blocks of code that follow the path of their file. */
const shown = new Map(
  [...page.matchAll(/^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(([, path = '', text = '']) => [path, text]),
);
const [, commands = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? [];
const { 'service.hcl': service = '', ...plugin } = Object.fromEntries(shown);

describe('the page about writing a plugin', () => {
  test('its commands and files make a plugin that passes its cases, and a service that uses it', {
    timeout: 120_000,
  }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-page-'));
    const folder = join(directory, 'geo');
    const build = () => {
      const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return compileAssemblyScript(folder, scripts.build);
    };
    const lines = commands.trim().split('\n');
    expect(lines.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'svc plugin new',
      'cd geo',
      'npm install',
      'npm run build',
      'svc plugin test',
    ]);
    const svc = (line: string | undefined, at: string) => runCommand([...(line ?? '').split(' ').slice(1), '-c', at]);
    expect(await svc(lines[0], directory)).toMatchObject({ code: 0 });
    await build();
    expect(await svc(lines[4], folder)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^3 passed/) });
    expect(Object.keys(plugin).sort()).toEqual(['assembly/index.ts', 'plugin.hcl', 'tests/cases.json']);
    for (const [path, text] of Object.entries(plugin)) {
      // The page changes files that the command has written.
      expect(statSync(join(folder, path)).isFile()).toBe(true);
      writeFileSync(join(folder, path), text);
    }
    await build();
    expect(await svc(lines[4], folder)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^3 passed/) });

    const files = Object.fromEntries(
      ['plugin.hcl', 'geo.wasm'].map((name) => [`geo/${name}`, readFileSync(join(folder, name))]),
    );
    const { ask } = await startModules(
      { 'service.hcl': service, ...(files as unknown as Readonly<Record<string, string>>) },
      {},
    );
    const trip = { from: { lat: 52.52, lon: 13.405 }, to: { lat: 48.8566, lon: 2.3522 } };
    expect(await ask('POST', '/trips', trip)).toEqual([200, { kilometres: 877 }]);
    expect((await ask('POST', '/trips', { from: trip.from, to: {} }))[0]).toBe(500);
    rmSync(directory, { recursive: true });
  });

  test('names every file that the command writes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-page-'));
    await runCommand(['plugin', 'new', 'geo', '--kind', 'connector', '-c', directory]);
    const written = readdirSync(join(directory, 'geo'), { recursive: true, encoding: 'utf8' });
    const explained = ['README.md', '.gitignore', 'assembly', 'assembly/tsconfig.json', 'tests'];
    expect(written.filter((path) => !page.includes(`\`${path}\``) && !explained.includes(path))).toEqual([]);
    rmSync(directory, { recursive: true });
  });
});
