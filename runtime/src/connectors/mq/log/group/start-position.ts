import type { Cluster } from '../library.ts';
import type { Offsets } from './offsets.ts';

/** Where a group begins that has no offset of a partition yet. */
export type StartPosition =
  | { readonly kind: 'earliest' | 'latest' }
  /** Unix milliseconds. */
  | { readonly kind: 'time'; readonly time: number }
  | { readonly kind: 'offset'; readonly offset: bigint };

/** Reads `offset` of a consumer block, whose form the spec has checked. */
export function startPositionOf(written: string): StartPosition {
  if (written === 'earliest' || written === 'latest') return { kind: written };
  return /^\d+$/.test(written)
    ? { kind: 'offset', offset: BigInt(written) }
    : { kind: 'time', time: Date.parse(written) };
}

/** The offsets of partitions of one topic at this position. */
export async function offsetsAt(
  cluster: Cluster,
  position: StartPosition,
  topic: string,
  partitions: readonly number[],
): Promise<Offsets> {
  if (position.kind === 'offset') return partitions.map((partition) => ({ topic, partition, offset: position.offset }));
  const asked = partitions.map((partition) => ({ partition }));
  const where =
    position.kind === 'time' ? { fromTimestamp: position.time } : { fromBeginning: position.kind === 'earliest' };
  const found = await cluster.fetchTopicsOffset([{ topic, partitions: asked, ...where }]);
  const offsets = found.flatMap(({ partitions: answered }) =>
    answered.map(({ partition, offset }) => ({ topic, partition, offset: BigInt(offset) })),
  );
  // Nothing was sent since: it begins with what comes next.
  const later = offsets.filter(({ offset }) => offset < 0n).map(({ partition }) => partition);
  if (later.length === 0) return offsets;
  const ends = await offsetsAt(cluster, { kind: 'latest' }, topic, later);
  return [...offsets.filter(({ offset }) => offset >= 0n), ...ends];
}
