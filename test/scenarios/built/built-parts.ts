import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

interface Output {
  /** The source that it begins with, seen from the root. */
  readonly entryPoint?: string;
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
}

/** What esbuild says of the built program, by the path of each file, seen from the root. */
const { outputs } = JSON.parse(readFileSync(join(root, 'runtime/dist/meta.json'), 'utf8')) as {
  readonly outputs: Readonly<Record<string, Output>>;
};

/** The files of the program. */
export const scripts: readonly string[] = Object.keys(outputs).filter((path) => path.endsWith('.js'));

/** The programs that svc starts besides itself, in threads and processes, by their names. */
export const programs: readonly string[] = scripts
  .flatMap((path) => /^runtime\/dist\/([^/]+)\.js$/.exec(path)?.[1] ?? [])
  .filter((name) => name !== 'main');

/** The files that others load with `import()`. */
export const lateParts: readonly string[] = [
  ...new Set(
    Object.values(outputs).flatMap(({ imports }) =>
      imports.filter(({ kind, external }) => kind === 'dynamic-import' && external !== true).map(({ path }) => path),
    ),
  ),
].sort();

export function textOf(script: string): string {
  return readFileSync(join(root, script), 'utf8');
}

/** The module of a package with which a file begins, seen from the root; undefined of a source of svc. */
export function packageModuleOf(script: string): string | undefined {
  const [path] = (outputs[script]?.entryPoint ?? '').split('?');
  return path?.includes('node_modules/') ? path : undefined;
}

/** What a module gives: the type of the value of each name, or why it cannot be loaded. */
export type Loaded = { readonly names: Readonly<Record<string, string>> } | { readonly failure: string };

/** Loads modules, seen from the root, in a process of their own and as Node alone does it. */
export function load(modules: readonly string[]): ReadonlyMap<string, Loaded> {
  const written = execFileSync(process.execPath, [join(import.meta.dirname, 'loader.ts'), root], {
    input: JSON.stringify(modules),
    encoding: 'utf8',
  });
  return new Map(Object.entries(JSON.parse(written) as Record<string, Loaded>));
}
