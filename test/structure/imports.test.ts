import { describe, expect, test } from 'vitest';
import { circlesOf } from './circles.ts';
import { type Part, parts } from './parts.ts';
import { filesOfFolders, type Import, isTest, readSources, type Source } from './sources.ts';
import { placeOf, wings } from './wings.ts';

const partOf = (path: string): Part | undefined => parts.find((part) => part.files.test(path));

/** The folder below `src` that a source is in; undefined for one that is in no folder, and for those of the runtime. */
function roomOf(path: string): string | undefined {
  return /^(?:protocol|studio)\/src\/[^/]+(?=\/)/.exec(path)?.[0];
}

/** Why the import is not allowed; undefined when it is. */
function objection(source: Source, part: Part, each: Import): string | undefined {
  const where = `${source.path} imports ${each.specifier}`;
  if (each.file === undefined) {
    const workspace = /^@svc\/[\w-]+/.exec(each.specifier)?.[0];
    if (workspace === commandOfStudio.package && source.path.startsWith(commandOfStudio.folder)) return undefined;
    if (workspace !== undefined) return part.may.includes(workspace) ? undefined : where;
    return part.outside === undefined || part.outside.test(each.specifier) || each.typeOnly ? undefined : where;
  }
  const target = partOf(each.file);
  if (target === undefined) return `${where}, which belongs to no part`;
  if (target.name === part.name) return part.name === 'runtime' ? outOfOrder(source.path, each.file) : undefined;
  return part.may.includes(target.name) ? undefined : `${where} (${part.name} may not import ${target.name})`;
}

/** The command that serves the studio starts the program of another workspace. */
const commandOfStudio = { package: '@svc/studio', folder: 'runtime/src/cli/' };

/** Why a source of the runtime may not import another one; undefined when it may. */
function outOfOrder(from: string, to: string): string | undefined {
  const [here, there] = [placeOf(from), placeOf(to)];
  if (here === undefined || there === undefined) return `${from} imports ${to}: one of them is in no room`;
  const [wings, rooms] = [there.at[0] - here.at[0], there.at[1] - here.at[1]];
  if (wings < 0 || (wings === 0 && rooms === 0)) return undefined;
  if (wings > 0) return `${from} imports ${to}: ${there.wing.name} is above ${here.wing.name}`;
  const isConnector = (room: string) => !roomsOfAllConnectors.has(room);
  const another = here.wing.name === 'connectors' && isConnector(here.room) && isConnector(there.room);
  if (another) return filesOfFolders.test(to) ? undefined : `${from} imports ${to}: another connector`;
  return rooms < 0 ? undefined : `${from} imports ${to}: ${there.room} comes after ${here.room}`;
}

/** What is around all connectors, and what may be any of them. */
const roomsOfAllConnectors = new Set(['core', 'intake', 'profile', 'catalog.ts', 'registry.ts']);

/** Files of the runtime that say what may be written in a configuration, and what is wrong with what was written. */
const vocabulary =
  /^runtime\/src\/(checks\/(rules\/.*|[\w-]+\.ts)|(.*\/)?([\w-]*spec|[\w-]*rules|catalog|engines)\.ts)$/;

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

  test('every room of a wing is there, and holds sources', () => {
    const held = new Set(inspected.flatMap(({ path }) => placeOf(path)?.room ?? []));
    const empty = wings.flatMap(({ name, rooms }) =>
      rooms.filter((room) => !held.has(room)).map((room) => `${name}/${room}`),
    );
    expect(empty).toEqual([]);
  });

  test('folders import each other in no circle, types included', () => {
    const edges = new Map<string, Set<string>>();
    for (const { path, imports } of inspected)
      for (const { file } of imports) {
        const [from, to] = [roomOf(path), file === undefined ? undefined : roomOf(file)];
        if (from !== undefined && to !== undefined) edges.set(from, (edges.get(from) ?? new Set()).add(to));
      }
    expect(circlesOf(edges)).toEqual([]);
    // The scanner has found something to judge.
    expect(edges.get('protocol/src/model')).toContain('protocol/src/cel');
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
    const reached = new Set(inspected.filter(({ path }) => vocabulary.test(path)).map(({ path }) => path));
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
      { specifier: './circles.ts', typeOnly: false, file: 'test/structure/circles.ts' },
      { specifier: './parts.ts', typeOnly: false, file: 'test/structure/parts.ts' },
      { specifier: './sources.ts', typeOnly: false, file: 'test/structure/sources.ts' },
      { specifier: './wings.ts', typeOnly: false, file: 'test/structure/wings.ts' },
    ]);
  });
});
