import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { preview } from './preview.ts';

/** What a program previews that is this script. */
function previewOf(script: string, input = '{"password":"kept-secret"}') {
  const folder = folderWith({ 'program.cjs': script });
  const program = { executable: process.execPath, args: [join(folder, 'program.cjs')] };
  return preview({ program, environment: process.env }, folder, { flow: 'alert', input });
}

const asked = `const words = process.argv.slice(2);
const file = words[words.indexOf('--input-file') + 1];
const { readFileSync, statSync } = require('node:fs');
`;

test('the program is asked in the folder; its input is in a file of its own that it alone reads, and that is removed', async () => {
  const says = `${asked}console.log(JSON.stringify([{ words, file, cwd: process.cwd(), input: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }]));`;
  const [found] = (await previewOf(says)) as unknown as readonly Readonly<Record<string, unknown>>[];
  const { words, file, cwd } = found as { words: string[]; file: string; cwd: string };
  expect(words).toEqual(['preview', 'all', 'alert', '--input-file', file, '--format', 'json', '-c', cwd]);
  expect(found).toMatchObject({ input: '{"password":"kept-secret"}', mode: 0o600 });
  expect(existsSync(file)).toBe(false);
});

test.each([
  [
    'a flow that fails says why',
    'console.error("svc preview: there is no flow \\"alert\\""); process.exitCode = 1;',
    'there is no flow "alert"',
  ],
  ['a flow that sends nothing', 'console.log("[]");', 'it sends nothing'],
  ['an answer that is cut', 'console.log(\'[{"connector":"mail"\'); process.exitCode = 1;', /^Command failed/],
  ['what is not a list', 'console.log("{}");', 'it sends nothing'],
  ['too much', 'process.stdout.write("[" + "1,".repeat(9_000_000));', /maxBuffer/],
  ['a program that ends by a signal', 'process.kill(process.pid, "SIGKILL");', /^Command failed/],
])('%s is refused', async (_, script, message) => {
  const before = left();
  await expect(previewOf(script)).rejects.toThrow(message);
  expect(left().filter((name) => !before.includes(name))).toEqual([]);
});

test('a program that does not exist is refused', async () => {
  const program = { executable: join(tmpdir(), 'there-is-none'), args: [] };
  const asking = preview({ program, environment: {} }, tmpdir(), { flow: 'alert', input: '{}' });
  await expect(asking).rejects.toThrow('ENOENT');
});

test('what was sent before a failure is shown', async () => {
  expect(await previewOf('console.log(\'[{"connector":"mail"}]\'); process.exitCode = 1;')).toEqual([
    { connector: 'mail' },
  ]);
});

const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('svc-preview-'));
