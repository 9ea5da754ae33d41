import type { CelSource } from '@svc/protocol/schema';

/** An expression in a decoded body, with the variables that the blocks around it add. */
export interface FoundSource {
  readonly source: CelSource;
  /** Element and position of the loops around it. */
  readonly variables: readonly string[];
}

/** Every expression of a decoded body, nested blocks, lists and templates included, in no particular order. */
export function findSources(values: unknown): readonly FoundSource[] {
  const found: FoundSource[] = [];
  collect(values, [], found);
  return found;
}

function collect(values: unknown, variables: readonly string[], found: FoundSource[]): void {
  if (typeof values !== 'object' || values === null) return;
  if (Array.isArray(values)) {
    for (const item of values) collect(item, variables, found);
    return;
  }
  const { kind, over, label } = values as { kind?: unknown; over?: unknown; label?: unknown };
  if (kind === 'cel' && isSource(values)) {
    found.push({ source: values, variables });
    return;
  }
  // Syntax trees hold no expressions, and are by far the largest part of what can be reached.
  if (kind === 'expression') return;
  const inside = over === undefined ? variables : [...variables, String(label), `${String(label)}_index`];
  for (const name in values) {
    const item = (values as Record<string, unknown>)[name];
    if (!isOrigin(name, item)) collect(item, name === 'over' ? variables : inside, found);
  }
}

/** The expressions alone. */
export function sourcesIn(values: unknown): readonly CelSource[] {
  return findSources(values).map(({ source }) => source);
}

function isSource(values: object): values is CelSource {
  return 'source' in values && 'reads' in values;
}

/** Where something was written, which leads into the syntax tree. An attribute may have that name as well. */
function isOrigin(name: string, item: unknown): boolean {
  return name === 'origin' && typeof item === 'object' && item !== null && 'range' in item;
}
