import type { PlaceFigures } from '@svc/protocol/wire';

/** What brokers say of the places of a connector, and how fast that changes. */
export interface LiveFigures {
  /** Null when the broker says nothing. */
  readonly places: readonly PlaceFigures[] | null;
  /** By `Date.now()`. */
  readonly at: number;
  /** Messages a second between two looks; undefined where that is not known. */
  readonly arriving: number | undefined;
  readonly done: number | undefined;
}

/** Two looks that are closer make no rate. */
const leastPause = 500;

/** The figures of a look, with rates since the one before. */
export function figuresAfter(before: LiveFigures | undefined, places: LiveFigures['places'], at: number): LiveFigures {
  const pause = at - (before?.at ?? at);
  if (before !== undefined && pause < leastPause) return before;
  const rate = (of: 'arrived' | 'done') => {
    const [now, then] = [sumOf(places, of), sumOf(before?.places ?? null, of)];
    // A queue that was made again begins at 0.
    return now === undefined || then === undefined || now < then ? undefined : ((now - then) / pause) * 1000;
  };
  return { places, at, arriving: rate('arrived'), done: rate('done') };
}

/** Of all places; undefined where one of them does not say it. */
export function sumOf(
  places: LiveFigures['places'],
  of: 'ready' | 'unacknowledged' | 'consumers' | 'arrived' | 'done',
): number | undefined {
  if (places === null || places.length === 0) return undefined;
  let sum = 0;
  for (const { [of]: count } of places) {
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}

/** How far a group is behind in each partition of its topics, where there are several. */
export function lagsOf(places: LiveFigures['places']): readonly { readonly name: string; readonly lag: number }[] {
  const all = (places ?? []).flatMap(({ source, partitions = [] }) =>
    partitions.map(({ partition, lag }) => ({ name: `${source}/${partition}`, lag })),
  );
  return all.length < 2 ? [] : all;
}

/** `3.2/s`; slow ones by the minute. */
export function shownRate(rate: number): string {
  if (rate === 0) return '0/s';
  return rate < 0.1 ? `${(rate * 60).toFixed(1)}/min` : `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`;
}
