/**
 * The program of a thread: the file `<name>.ts` beside the one at `from`; of the built svc `<name>.js` beside its program, where
 * esbuild puts what `scripts/build.mjs` names as an entry.
 */
export function threadProgram(from: string, name: string): URL {
  if (from.endsWith('.ts')) return new URL(`./${name}.ts`, from);
  return new URL(`${name}.js`, new URL(/\/parts\/[^/]*$/.test(from) ? '..' : '.', from));
}
