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
