/** The folder of the built program, of which `from` is a part (`import.meta.url`); undefined where that is a source. */
export function builtFolder(from: string): URL | undefined {
  if (from.endsWith('.ts')) return undefined;
  return new URL(/\/parts\/[^/]*$/.test(from) ? '..' : '.', from);
}

/**
 * The program of a thread or a process: the file `<name>.ts` beside the one at `from`; of the built svc `<name>.js` beside its program, where
 * esbuild puts what `scripts/build.mjs` names as an entry.
 */
export function threadProgram(from: string, name: string): URL {
  const folder = builtFolder(from);
  return folder === undefined ? new URL(`./${name}.ts`, from) : new URL(`${name}.js`, folder);
}
