import type { EventSourceEntry, SourceEntry } from '@svc/protocol/wire';

/** An event source, as far as its service tells: counts are undefined when it does not tell any. */
export type QueueSource = SourceEntry & Partial<Omit<EventSourceEntry, keyof SourceEntry>>;

export const positions = ['open', 'single', 'demand'] as const;
export type Position = (typeof positions)[number];

/** The position of the gate of all sources; sources that cannot be pulled are at `single` for `demand`. */
export function gateOf(sources: readonly QueueSource[]): Position | undefined {
  return positions.find(
    (position) =>
      sources.length > 0 &&
      sources.every(
        (source) => source.position === (position === 'demand' && !source.manualConsume ? 'single' : position),
      ) &&
      (position !== 'single' || sources.some(({ manualConsume }) => manualConsume)),
  );
}

/** Why no message can be pulled now; undefined when one can. `isBusy`: one of its messages is under way. */
export function pullRefusal(source: QueueSource | undefined, isAttached: boolean, isBusy: boolean): string | undefined {
  if (!isAttached) return 'No service is attached';
  if (source === undefined) return 'The attached service has no such event source';
  const { connector, manualConsume, position = 'demand' } = source;
  if (!manualConsume) return `Messages of ${connector} come by themselves; single ones cannot be pulled`;
  if (position !== 'demand') return 'The gate is open: messages come by themselves. Set it to On demand to pull';
  return isBusy ? 'A message is under way: let it continue first' : undefined;
}
