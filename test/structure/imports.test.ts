import { describe, expect, test } from 'vitest';
import { type Part, parts } from './parts.ts';
import { type Import, isTest, readSources, type Source } from './sources.ts';

/** Files that several parts may import although they are in one of them. */
const exceptions: Readonly<Record<string, string>> = { 'runtime/src/cli/launched.ts': 'launcher' };

const partOf = (path: string): Part | undefined => parts.find((part) => part.files.test(path));

function nameOf(path: string): string | undefined {
  return exceptions[path] ?? partOf(path)?.name;
}

/** Folders that cannot be put in an order in which each imports those before it alone. */
function circles(edges: ReadonlySet<string>): readonly string[] {
  const imported = new Map<string, Set<string>>();
  for (const edge of edges) {
    const [from, to] = edge.split(' ') as [string, string];
    imported.set(from, (imported.get(from) ?? new Set()).add(to));
  }
  for (;;) {
    const free = [...imported].filter(([, all]) => [...all].every((each) => !imported.has(each)));
    if (free.length === 0) return [...imported.keys()].sort();
    for (const [folder] of free) imported.delete(folder);
  }
}

/** The folder below `src` that a source is in; undefined for one that is in no folder. */
function roomOf(path: string): string | undefined {
  return /^(?:protocol|runtime|studio)\/src\/[^/]+(?=\/)/.exec(path)?.[0];
}

/** Why the import is not allowed; undefined when it is. */
function objection(source: Source, part: Part, each: Import): string | undefined {
  const where = `${source.path} imports ${each.specifier}`;
  if (each.file === undefined) {
    const workspace = /^@svc\/[\w-]+/.exec(each.specifier)?.[0];
    if (workspace !== undefined) return part.may.includes(workspace) ? undefined : where;
    return part.outside === undefined || part.outside.test(each.specifier) || each.typeOnly ? undefined : where;
  }
  const target = nameOf(each.file);
  if (target === undefined) return `${where}, which belongs to no part`;
  if (target === part.name) {
    const folder = /^runtime\/src\/connectors\/[^/]+\//;
    const another = part.name === 'connector' && folder.exec(source.path)?.[0] !== folder.exec(each.file)?.[0];
    return another ? `${where}: another connector` : undefined;
  }
  return part.may.includes(target) ? undefined : `${where} (${part.name} may not import ${target})`;
}

describe('who may import whom', () => {
  const sources = readSources();
  const inspected = sources.filter(({ path }) => !isTest(path) && path !== 'vitest.config.ts');

  test('every source belongs to a part', () => {
    expect(inspected.filter(({ path }) => partOf(path) === undefined).map(({ path }) => path)).toEqual([]);
  });

  test('every import is in the table', () => {
    const objections = inspected.flatMap((source) => {
      const part = partOf(source.path);
      if (part === undefined) return [];
      return source.imports.flatMap((each) => objection(source, part, each) ?? []);
    });
    expect(objections).toEqual([]);
  });

  test('of two folders, one at most imports the other, and none comes back to itself over others, types included', () => {
    const edges = new Set(
      inspected.flatMap(({ path, imports }) =>
        imports.flatMap(({ file }) => {
          const [from, to] = [roomOf(path), file === undefined ? undefined : roomOf(file)];
          return from === undefined || to === undefined || from === to ? [] : [`${from} ${to}`];
        }),
      ),
    );
    const mutual = [...edges].filter((edge) => {
      const [from, to] = edge.split(' ') as [string, string];
      return from < to && edges.has(`${to} ${from}`);
    });
    expect(mutual).toEqual([]);
    expect(circles(edges)).toEqual([]);
    // The scanner has found something to judge.
    expect(edges).toContain('runtime/src/engine/plan runtime/src/engine/flow');
  });

  test('tests stay inside their own workspace too', () => {
    const workspace = (path: string): string => path.split('/')[0]!;
    const across = sources
      .filter(({ path }) => isTest(path) && /^(protocol|runtime|studio)\//.test(path))
      .flatMap(({ path, imports }) =>
        imports.flatMap(({ file }) =>
          file === undefined || workspace(file) === workspace(path) || file.startsWith('test/support/')
            ? []
            : [`${path} imports ${file}`],
        ),
      );
    expect(across).toEqual([]);
  });

  /** Packages without dependencies that run wherever JavaScript runs, small enough for a page. */
  const anywhere = new Set(['croner']);

  test('the vocabulary reaches no platform and no client library, however far one follows it', () => {
    const byPath = new Map(sources.map((source) => [source.path, source]));
    const reached = new Set(
      inspected.filter(({ path }) => partOf(path)?.name === 'vocabulary').map(({ path }) => path),
    );
    const foreign: string[] = [];
    for (const path of reached) {
      for (const { file, specifier, typeOnly } of byPath.get(path)?.imports ?? []) {
        if (typeOnly) continue;
        if (file !== undefined) reached.add(file);
        else if (!specifier.startsWith('@svc/protocol/') && !anywhere.has(specifier))
          foreign.push(`${path} imports ${specifier}`);
      }
    }
    expect(foreign).toEqual([]);
  });

  test('the scanner sees every form of import', () => {
    const found = sources.find(({ path }) => path === 'test/structure/imports.test.ts')!.imports;
    expect(found).toEqual([
      { specifier: 'vitest', typeOnly: false, file: undefined },
      { specifier: './parts.ts', typeOnly: false, file: 'test/structure/parts.ts' },
      { specifier: './sources.ts', typeOnly: false, file: 'test/structure/sources.ts' },
    ]);
  });
});
