import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { inDirectory, typed } from '../../cli/testing/typed.ts';
import { lookAt, mebibyte, readRegularFile, regularFile } from './regular-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-files-'));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

writeFileSync(at('small'), 'text');
writeFileSync(at('full'), Buffer.alloc(mebibyte, 'x'));
writeFileSync(at('sparse'), '');
truncateSync(at('sparse'), 40 * 1024 * mebibyte);
execFileSync('mkfifo', [at('pipe')]);
symlinkSync('/dev/zero', at('link'));

const refused = [
  ['a pipe that no program writes to', at('pipe'), /not a regular file/],
  ['a device without an end', '/dev/zero', /not a regular file/],
  ['a link to a device', at('link'), /not a regular file/],
  ['a folder', folder, /is a directory/],
  ['a huge file', at('sparse'), /larger than \d+ [MK]iB/],
] as const;

describe('a file that is read whole', () => {
  test('has all of its bytes, also where its size says less', async () => {
    expect([String(readRegularFile(at('small'))), String(await regularFile(at('small')))]).toEqual(['text', 'text']);
    expect([readRegularFile(at('full')).length, (await regularFile(at('full'))).length]).toEqual([mebibyte, mebibyte]);
    const status = String(readRegularFile('/proc/self/status'));
    expect([status.startsWith('Name:'), status.includes('VmPeak')]).toEqual([true, true]);
    expect(String(await regularFile('/proc/self/status'))).toContain('VmPeak');
    await lookAt(at('full'), mebibyte);
  });

  test.each(refused)('is not %s', async (_, path, says) => {
    expect(() => readRegularFile(path)).toThrow(says);
    await expect(regularFile(path)).rejects.toThrow(says);
    await expect(lookAt(path, mebibyte)).rejects.toThrow(says);
  });

  test('that is absent is the error of the system', async () => {
    expect(() => readRegularFile(at('absent'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    await expect(regularFile(at('absent'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

const service = `service {
  name = "x"
}
connector "api" {
  type = "rest"
  port = 8080
}
flow "a" {
  from {
    connector = "api"
    operation = "GET /a"
  }
  response {
    a = "1"
  }
}
`;

describe('what a command is given is looked at before it is read', () => {
  const commands = [
    ...['openapi', 'graphql', 'proto', 'wsdl'].map((word) => ['add', word, '§', '--connector', 'made']),
    ['validate', '--contract', '§'],
    ['trace', 'a', '--input-file', '§'],
    ['trace', 'a', '--input', '@§'],
    ['queue', 'publish', 'made', '--input', '§'],
  ];

  test.each(commands.map((words) => [words.join(' '), words] as const))('svc %s', async (_, words) => {
    await inDirectory({ 'main.hcl': service }, async (directory) => {
      for (const [what, path, says] of refused) {
        const { status, error, out } = await typed(
          words.map((word) => word.replace('§', path)),
          directory,
        );
        expect([what, `${error}${out}`]).toEqual([what, expect.stringMatching(says)]);
        expect([1, 2]).toContain(status);
      }
    });
  });
});

describe('what a folder of a configuration has is looked at before it is read', () => {
  test.each([
    ['.env', /is not a regular file; no variable of it is read\n {2}--> \.env/],
    ['mocks/connectors/api/a.json', /cannot be read: it is not a regular file.*a\.json/s],
  ])('%s', async (name, says) => {
    const files = { 'x.hcl': `${service}mocks {\n  path = "mocks"\n}\n`, 'mocks/connectors/api/c.json': '[]' };
    await inDirectory(files, async (directory) => {
      execFileSync('mkfifo', [join(directory, name)]);
      const { error, out } = await typed(['validate'], directory);
      expect(`${error}${out}`).toMatch(says);
    });
  });
});
