import type { CelSource } from '@svc/protocol/schema';

/** An expression in a decoded body, with the variables that the blocks around it add. */
export interface FoundSource {
  readonly source: CelSource;
  /** Element and position of the loops around it. */
  readonly variables: readonly string[];
}

/** Every expression of a decoded body, nested blocks, lists and templates included, in no particular order. */
export function findSources(values: unknown, variables: readonly string[] = []): readonly FoundSource[] {
  if (typeof values !== 'object' || values === null) return [];
  if (isSource(values)) return [{ source: values, variables }];
  if (Array.isArray(values)) return values.flatMap((item) => findSources(item, variables));
  const { over, label } = values as { over?: unknown; label?: unknown };
  const inside = over === undefined ? variables : [...variables, String(label), `${String(label)}_index`];
  return Object.entries(values).flatMap(([name, item]) => findSources(item, name === 'over' ? variables : inside));
}

/** The expressions alone. */
export function sourcesIn(values: unknown): readonly CelSource[] {
  return findSources(values).map(({ source }) => source);
}

function isSource(values: object): values is CelSource {
  return 'kind' in values && values.kind === 'cel' && 'source' in values && 'reads' in values;
}
