import { join } from 'node:path';

/** Files of this folder that configurations of several cases are put together from, by their names. */
export function queueFiles(...names: readonly string[]): readonly string[] {
  return names.map((name) => join(import.meta.dirname, `${name}.hcl`));
}
