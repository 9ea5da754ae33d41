import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSources, root } from './sources.ts';

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const manifest = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
const workspaces = manifest('.').workspaces!;

describe('packages', () => {
  test.each(['protocol', 'runtime', 'studio'])(
    '%s is closed: every way in is written, and none is a pattern',
    (folder) => {
      const ways = Object.entries(manifest(folder).exports ?? {});
      expect(ways.length).toBeGreaterThan(0);
      expect(ways.filter(([way, file]) => way.includes('*') || file.includes('*'))).toEqual([]);
      expect(ways.map(([, file]) => file).filter((file) => !existsSync(join(root, folder, file)))).toEqual([]);
    },
  );

  test('sources of other packages are imported by their ways in only', () => {
    const ways = workspaces.flatMap((folder) => {
      const { name, exports } = manifest(folder);
      return Object.keys(exports ?? {}).map((way) => name + way.slice(1));
    });
    const found = readSources().flatMap(({ path, imports }) =>
      imports.flatMap(({ specifier }) =>
        specifier.startsWith('@svc/') && !ways.includes(specifier) ? [`${path} imports ${specifier}`] : [],
      ),
    );
    expect(found).toEqual([]);
  });

  test('versions of dependencies are exact', () => {
    const loose = ['.', ...workspaces].flatMap((folder) => {
      const { dependencies, devDependencies, optionalDependencies } = manifest(folder);
      return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).flatMap(
        ([name, version]) => (/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) ? [] : [`${folder}: ${name} ${version}`]),
      );
    });
    expect(loose).toEqual([]);
  });
});
