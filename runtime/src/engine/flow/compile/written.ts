import type { ArgumentSource, WrittenWords } from '@svc/protocol/schema';

/**
 * What the configuration writes of the values of a call, for connectors that distinguish it from data. A connector's own
 * words are added to those of the block, by their names.
 */
export function writtenWords(
  { evaluated }: WrittenWords,
  ofBlock: Readonly<Record<string, ArgumentSource | undefined>>,
): Readonly<Record<string, ArgumentSource>> {
  const sources: Record<string, ArgumentSource> = {};
  for (const [name, source] of Object.entries(ofBlock)) if (source !== undefined) sources[name] = source;
  for (const [name, source] of Object.entries(evaluated))
    if ('kind' in source && source.kind !== 'template') sources[name] = source;
  return sources;
}

/** Names of the fields of an object that is written out; undefined where messages name them. */
export function namesIn(source: ArgumentSource | undefined): readonly string[] | undefined {
  if (source?.kind === 'map') return source.entries.map(([name]) => name);
  const { value } = source?.kind === 'constant' ? source : {};
  return typeof value === 'object' && value !== null ? Object.keys(value) : undefined;
}
