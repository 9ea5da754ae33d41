import type { ArgumentSource, Origin } from '@svc/protocol/schema';
import type { TargetPlace } from './flow-places.ts';

/** One parameter as it is written; a value that depends on the message is not known. */
export interface WrittenParameter {
  readonly name: string;
  readonly constant?: unknown;
  readonly at: Origin;
}

/** The parameters of a place by name; undefined where the message decides which there are. */
export function writtenParameters(place: TargetPlace): readonly WrittenParameter[] | undefined {
  const { values } = place;
  if (place.kind === 'enrich')
    return place.values.params?.fields.map(({ name, value }) => ({ name, at: value.origin })) ?? [];
  const params = 'params' in values ? (values.params as ArgumentSource | undefined) : undefined;
  if (params === undefined) return [];
  if (params.kind === 'constant') {
    const { value, origin } = params;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.entries(value).map(([name, constant]) => ({ name, constant, at: origin }));
  }
  if (params.kind !== 'map') return undefined;
  return params.entries.map(([name, source]) => {
    const constant = constantOf(source);
    return { name, ...(constant !== undefined && { constant }), at: source.origin ?? params.origin };
  });
}

/** The value of a constant, or of a map of nothing but constants; undefined for what the message decides. */
function constantOf(source: ArgumentSource): unknown {
  if (source.kind === 'constant') return source.value;
  if (source.kind !== 'map') return undefined;
  const entries = source.entries.map(([name, inner]) => [name, constantOf(inner)] as const);
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
}
