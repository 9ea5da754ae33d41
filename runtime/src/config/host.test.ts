import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeHost } from './host.ts';

test('tells files that are not there, and files that stand below the working directory alone (decisions 47)', () => {
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
