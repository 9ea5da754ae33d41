import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** One import or export of a source file. */
export interface Import {
  /** As written: `./range.ts`, `node:fs`, `pg`. */
  readonly specifier: string;
  /** Erased before the program runs. */
  readonly typeOnly: boolean;
  /** The file it names, from the top of the repository; undefined for packages and built-in modules. */
  readonly file: string | undefined;
}

export interface Source {
  /** From the top of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** Every TypeScript source of the repository. */
export function readSources(top = root): Source[] {
  return globSync('{protocol,runtime,studio,test,e2e,scripts}/**/*.{ts,tsx}', {
    cwd: top,
    exclude: (entry) => ['node_modules', 'dist', 'fixtures'].includes(entry.split('/').at(-1)!),
  })
    .map((found) => found.replaceAll('\\', '/'))
    .sort()
    .map((path) => readSource(path, top));
}

/** One source, by its path from the top of the repository. */
export function readSource(path: string, top = root): Source {
  const text = readFileSync(join(top, path), 'utf8');
  return { path, text, imports: importsOf(path, text) };
}

const statement = /^(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const dynamic = /\bimport\(\s*['"]([^'"]+)['"]/g;

function importsOf(path: string, text: string): Import[] {
  const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const found = (specifier: string, typeOnly: boolean): Import => ({
    specifier,
    typeOnly,
    file: specifier.startsWith('.') ? posix.join(dirname(path), specifier) : undefined,
  });
  return [
    ...[...code.matchAll(statement)].map(([, type, specifier]) => found(specifier!, type !== undefined)),
    ...[...code.matchAll(dynamic)].map(([, specifier]) => found(specifier!, false)),
  ];
}

export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.includes('/testing/');
}

/** Paths below a folder, and files in one: every connector that keeps files in a folder of the machine uses them. */
export const filesOfFolders =
  /^runtime\/src\/connectors\/files\/(?:path|exchanges|store|template-files|local\/(?:places|store))\.ts$/;
