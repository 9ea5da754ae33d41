// Which tests the paths of `npm test -- PATH...` name, and what those need: servers, and the built program.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, relative } from 'node:path';
import { readSource, root } from '../test/structure/sources.ts';
import { type Server, servers } from '../test/support/servers/index.ts';

export interface Selection {
  /** Files of tests, from the top of the repository. */
  readonly files: readonly string[];
  /** The projects of vitest that they belong to. */
  readonly projects: readonly string[];
  /** What they or their imports ask for by its variable. */
  readonly servers: readonly Server[];
  readonly needsBuild: boolean;
}

/** Parts of the repository whose tests run the built program. */
const ofBuilt = ['scenarios', 'e2e'];

/** Finds the tests whose paths contain one of these, as vitest does. Throws when a path names no test. */
export function selectTests(paths: readonly string[]): Selection {
  const wanted = paths.map((path) => fromRoot(path));
  const listed = listTests(wanted);
  const unknown = paths.filter((_, at) => !listed.some(({ file }) => file.includes(wanted[at]!)));
  if (unknown.length > 0)
    throw new Error(`no file of tests has ${unknown.map((path) => `"${path}"`).join(', ')} in its path`);
  const files = listed.map(({ file }) => file);
  const projects = [...new Set(listed.map(({ project }) => project))];
  const texts = [...closureOf(files)].map(([, text]) => text);
  return {
    files,
    projects,
    servers: servers.filter(({ variable }) => texts.some((text) => text.includes(variable))),
    needsBuild:
      projects.some((project) => ofBuilt.includes(project)) ||
      texts.some((text) => /runtime(?:\/|', ')dist/.test(text)),
  };
}

/** The part of a path below the top of the repository, without what shells and people write before it. */
function fromRoot(path: string): string {
  return posix.normalize(path.replaceAll('\\', '/').replace(`${root.replaceAll('\\', '/')}/`, ''));
}

function listTests(paths: readonly string[]): readonly { readonly file: string; readonly project: string }[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tests-'));
  const listing = join(folder, 'files.json');
  try {
    const args = ['node_modules/vitest/vitest.mjs', 'list', ...paths, '--filesOnly', `--json=${listing}`];
    execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
    const found = existsSync(listing) ? JSON.parse(readFileSync(listing, 'utf8')) : [];
    return (found as { file: string; projectName: string }[]).map(({ file, projectName }) => ({
      file: relative(root, file).replaceAll('\\', '/'),
      project: projectName,
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The texts of these files and of everything that they import, by their paths; how servers are started is not among them. */
function closureOf(files: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const waiting = [...files];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (texts.has(path) || path.startsWith('test/support/servers/') || !existsSync(join(root, path))) continue;
    const { text, imports } = readSource(path);
    texts.set(path, text);
    waiting.push(...imports.flatMap(({ file }) => (file === undefined ? [] : [file])), ...chosenImports(path, text));
  }
  return texts;
}

/** Files of which one is imported by a name that is computed. */
function chosenImports(path: string, text: string): readonly string[] {
  return [...text.matchAll(/\bimport\(`(\.[^`]+)`\)/g)].flatMap(([, pattern = '']) =>
    globSync(posix.join(posix.dirname(path), pattern.replaceAll(/\$\{[^}]*\}/g, '*')), { cwd: root }),
  );
}
