import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDirectory } from '../service/config/language-folder.ts';
import { inDirectory, typed } from './testing/typed.ts';

const service = { 'main.hcl': 'service {\n  name       = "a"\n  admin_port = 0\n}\n' };

/** What is found where a configuration file is expected, and why it is not read. */
const members: readonly (readonly [name: string, make: (place: string) => void, why: string])[] = [
  ['a pipe', (place) => void execFileSync('mkfifo', [place]), 'it is not a regular file'],
  ['a link to a device', (place) => symlinkSync('/dev/zero', place), 'it is not a regular file'],
  ['a link to nothing', (place) => symlinkSync('nowhere', place), 'the link leads to nothing'],
  ['a link to itself', (place) => symlinkSync('x.hcl', place), 'its links lead back to themselves'],
  [
    'a large file',
    (place) => {
      writeFileSync(place, '');
      truncateSync(place, 16 * 1024 * 1024 + 1);
    },
    'it is larger than 16 MiB',
  ],
];

describe.each(members)('%s in the place of a configuration file', (_, make, why) => {
  test.each([['validate'], ['start'], ['check'], ['test'], ['fmt']])('svc %s', async (command) => {
    await inDirectory(service, async (directory) => {
      make(join(directory, 'x.hcl'));
      const { status, out, error } = await typed([command], directory);
      expect({ status, shown: `${out}${error}` }).toEqual({
        status: 1,
        shown: expect.stringContaining(`error[unreadable-file]: x.hcl cannot be read: ${why}\n  --> x.hcl`),
      });
      expect(`${out}${error}`).toContain('= help: Every name that ends in .hcl or .mycel is configuration');
    });
  });

  test('svc plugin', async () => {
    await inDirectory(service, async (directory) => {
      make(join(directory, 'x.hcl'));
      const { status, error } = await typed(['plugin', 'list'], directory);
      expect({ status, error }).toEqual({ status: 1, error: expect.stringContaining(`x.hcl cannot be read: ${why}`) });
    });
  });
});

test('an editor is shown it until the file can be read', async () => {
  await inDirectory(service, async (directory) => {
    const place = join(directory, 'x.hcl');
    execFileSync('mkfifo', [place]);
    const { service: language, read } = await openDirectory(directory, {});
    const codes = () => language.diagnostics().map(({ code, file }) => [code, file]);
    expect(codes()).toEqual([['unreadable-file', 'x.hcl']]);
    rmSync(place);
    writeFileSync(place, 'constants {\n}\n');
    language.provide('x.hcl', (await read('x.hcl')) ?? { text: '' });
    expect(codes()).not.toContainEqual(['unreadable-file', 'x.hcl']);
  });
});
