import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mebibyte as largestFile } from '../../foundation/disk/regular-file.ts';
import { nodeHost } from './host.ts';
import { openDirectory } from './language-folder.ts';
import { checkConfiguration } from './load.ts';

test('reports files that do not exist, and files that are below the working directory alone', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-host-'));
  try {
    const directory = join(root, 'configuration');
    mkdirSync(directory);
    writeFileSync(join(directory, 'here.db'), '');
    writeFileSync(join(root, 'there.db'), '');
    const host = nodeHost({ directory, workingDirectory: root, variables: {} });
    const tell = (path: string) => [host.missingFile?.(path), host.misplacedFile?.(path)];
    expect({
      here: tell('here.db'),
      there: tell('there.db'),
      nowhere: tell('nowhere.db'),
      absolute: tell(join(root, 'there.db')),
    }).toEqual({
      here: [undefined, undefined],
      there: [join(directory, 'there.db'), join(root, 'there.db')],
      nowhere: [join(directory, 'nowhere.db'), undefined],
      absolute: [undefined, undefined],
    });
    const same = nodeHost({ directory: root, workingDirectory: root, variables: {} });
    expect(same.misplacedFile?.('there.db')).toBe(undefined);
  } finally {
    rmSync(root, { recursive: true });
  }
});

function inFolder<T>(work: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'svc-host-'));
  const remove = () => rmSync(root, { recursive: true });
  const result = work(root);
  if (result instanceof Promise) return result.finally(remove) as T;
  remove();
  return result;
}

test('only regular files of at most 1 MiB are read, and nothing is waited for', () =>
  inFolder((root) => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    symlinkSync('/dev/zero', join(root, 'endless'));
    symlinkSync('round', join(root, 'round'));
    mkdirSync(join(root, 'folder'));
    writeFileSync(join(root, 'largest'), 'x'.repeat(largestFile));
    writeFileSync(join(root, 'larger'), 'x'.repeat(largestFile + 1));
    const host = nodeHost({ directory: root, workingDirectory: root, variables: {} });
    const why = (path: string) => {
      try {
        return host.readFile(path).length;
      } catch (error) {
        return (error as Error).message.replaceAll(root, '');
      }
    };
    expect(['/dev/zero', 'endless', 'pipe', 'folder', 'larger', 'largest', 'round'].map(why)).toEqual([
      'the file /dev/zero cannot be read: it is not a regular file (/dev/zero)',
      'the file endless cannot be read: it is not a regular file (/endless)',
      'the file pipe cannot be read: it is not a regular file (/pipe)',
      'the file folder cannot be read: it is a directory (/folder)',
      'the file larger cannot be read: it is larger than 1 MiB (/larger)',
      largestFile,
      'the file round cannot be read: its links lead back to themselves (/round)',
    ]);
  }));

test('the language service reads only below the opened folder, links followed; validate reads where it is written', () =>
  inFolder(async (root) => {
    const directory = join(root, 'opened');
    mkdirSync(directory);
    writeFileSync(join(root, 'outside'), 'outside text');
    symlinkSync('../outside', join(directory, 'link'));
    writeFileSync(join(directory, 'inside'), 'inside text');
    const text = 'constants {\n  a = file("link")\n  b = file("../outside")\n  c = file("inside")\n}\n';
    writeFileSync(join(directory, 'a.hcl'), text);
    symlinkSync('../outside', join(directory, 'b.hcl'));
    const opened = await openDirectory(directory, {});
    expect(opened.service.diagnostics().map(({ message }) => message.replaceAll(root, ''))).toEqual([
      'the file link cannot be read: it is outside the opened folder (/opened/link)',
      'the file ../outside cannot be read: it is outside the opened folder (/outside)',
    ]);
    expect(await Promise.all(['link', '../outside', 'b.hcl', 'inside'].map((path) => opened.read(path)))).toEqual([
      undefined,
      undefined,
      undefined,
      { text: 'inside text' },
    ]);
    const checked = checkConfiguration([{ path: 'a.hcl', text }], {
      directory,
      workingDirectory: root,
      workers: 1,
      variables: {},
    });
    expect(checked.project.constants).toMatchObject({ a: 'outside text', b: 'outside text', c: 'inside text' });
  }));

test('values of env() and file() are in no problem, nor are short ones', () =>
  inFolder(async (root) => {
    const variables = { LONG: 'planted-secret-of-env', SHORT: 'x7' };
    writeFileSync(join(root, 'secret'), 'planted-secret-of-file\n');
    const text = `constants {
  big = 9007199254740993
  low = -9007199254740993
}
connector "api" {
  type = "rest"
  port = env("SHORT")
  host = env("LONG")
}
connector "db" {
  type   = env("LONG")
  driver = file("secret")
}
connector "other" {
  type    = "http"
  timeout = file("secret")
  base_url = "\${env("LONG")}://\${file("secret")}"
}
flow "f" {
  from {
    connector = env("LONG")
    operation = env("LONG")
  }
  to {
    connector = "db"
    target    = "\${env("LONG")}"
  }
}
`;
    writeFileSync(join(root, 'a.hcl'), text);
    const options = { directory: root, workingDirectory: root, workers: 1, variables };
    const checked = checkConfiguration([{ path: 'a.hcl', text }], options);
    const { service } = await openDirectory(root, variables);
    const said = JSON.stringify([checked.diagnostics, service.diagnostics()]);
    expect(said).not.toMatch(/planted|x7/);
    expect(said).toContain('must be a number, not the value of env(\\"SHORT\\")');
    expect(checked.project.constants).toMatchObject({ big: 9007199254740993n, low: -9007199254740993n });
  }));
