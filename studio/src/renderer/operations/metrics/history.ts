import type { FlowCounts, MetricsEntry } from '@svc/protocol/wire';

/** Milliseconds that are looked back on. */
export const lookedBack = 120_000;
/** Milliseconds over which a rate of now is counted: one look alone makes it jump. */
const nowSpan = 6_000;
/** Looks that are further apart have a gap between them, in which the view was not seen. */
const longestPause = 10_000;

/** Counts of everything at one time. */
export interface Look {
  /** By a clock that is never set back. */
  readonly at: number;
  readonly entry: MetricsEntry;
}

/** How many there were between two looks, a second. */
export interface RatePoint {
  readonly at: number;
  readonly handled: number;
  readonly failed: number;
  /** Nothing is known of the time before it. */
  readonly isFirst: boolean;
}

/** The looks of the last two minutes with a new one; those before a restart of the service are forgotten. */
export function looksWith(looks: readonly Look[], next: Look): readonly Look[] {
  const last = looks.at(-1);
  const isOther = last !== undefined && next.entry.process.uptimeSeconds < last.entry.process.uptimeSeconds;
  return [...(isOther ? [] : looks.filter(({ at }) => at >= next.at - lookedBack - longestPause)), next];
}

/** What one flow has done by a look; those of all flows without a name. */
export function countsIn({ entry }: Look, flow?: string): Omit<FlowCounts, 'flow'> {
  const nothing = { succeeded: 0, failed: 0, dropped: 0, inFlight: 0, seconds: 0, durations: [] as readonly number[] };
  if (flow !== undefined) return entry.flows.find((each) => each.flow === flow) ?? nothing;
  return entry.flows.reduce(
    (sum, each) => ({
      succeeded: sum.succeeded + each.succeeded,
      failed: sum.failed + each.failed,
      dropped: sum.dropped + each.dropped,
      inFlight: sum.inFlight + each.inFlight,
      seconds: sum.seconds + each.seconds,
      durations: added(sum.durations, each.durations, 1),
    }),
    nothing,
  );
}

/** Rates between the looks, the earliest first. */
export function ratesOf(looks: readonly Look[], flow?: string): readonly RatePoint[] {
  const points: RatePoint[] = [];
  let before: { readonly at: number; readonly handled: number; readonly failed: number } | undefined;
  for (const look of looks) {
    const counts = countsIn(look, flow);
    const now = { at: look.at, handled: handledOf(counts), failed: counts.failed };
    const pause = before === undefined ? 0 : now.at - before.at;
    if (before !== undefined && pause > 0)
      points.push({
        at: now.at,
        handled: perSecond(now.handled - before.handled, pause),
        failed: perSecond(now.failed - before.failed, pause),
        isFirst: pause > longestPause || points.length === 0,
      });
    before = now;
  }
  return points;
}

/** What is shown of a flow, or of all of them. */
export interface Figures {
  readonly handledRate: number | undefined;
  readonly failedRate: number | undefined;
  readonly dropped: number;
  readonly failed: number;
  readonly handled: number;
  readonly inFlight: number;
  /** Seconds, of the last two minutes; where nothing came in these, since the start. Undefined: nothing ever came. */
  readonly median: number | undefined;
  readonly p95: number | undefined;
  /** Seconds of one message on average, of the same time. */
  readonly mean: number | undefined;
  /** They are of the time since the start. */
  readonly isOld: boolean;
}

export function figuresOf(looks: readonly Look[], flow?: string): Figures {
  const last = looks.at(-1);
  const first = looks[0];
  if (last === undefined || first === undefined)
    return {
      ...{
        handledRate: undefined,
        failedRate: undefined,
        median: undefined,
        p95: undefined,
        mean: undefined,
        isOld: false,
      },
      ...{ dropped: 0, failed: 0, handled: 0, inFlight: 0 },
    };
  const now = countsIn(last, flow);
  const then = looks.findLast(({ at }) => at <= last.at - nowSpan) ?? first;
  const pause = last.at - then.at;
  const before = countsIn(then, flow);
  const recent = added(now.durations, countsIn(first, flow).durations, -1);
  const isOld = !recent.some((count) => count > 0);
  const durations = isOld ? now.durations : recent;
  const { bounds } = last.entry;
  return {
    handledRate: pause > 0 ? perSecond(handledOf(now) - handledOf(before), pause) : undefined,
    failedRate: pause > 0 ? perSecond(now.failed - before.failed, pause) : undefined,
    dropped: now.dropped,
    failed: now.failed,
    handled: handledOf(now),
    inFlight: now.inFlight,
    median: quantile(durations, bounds, 0.5),
    p95: quantile(durations, bounds, 0.95),
    mean: meanOf(durations, isOld ? now.seconds : now.seconds - countsIn(first, flow).seconds),
    isOld,
  };
}

/** Share of one processor that the processes used between the last looks; undefined before there are two. */
export function processorShare(looks: readonly Look[]): number | undefined {
  const last = looks.at(-1);
  const then = looks.findLast(({ at }) => last !== undefined && at <= last.at - nowSpan) ?? looks[0];
  if (last === undefined || then === undefined || last === then) return undefined;
  const used = last.entry.process.cpuSeconds - then.entry.process.cpuSeconds;
  return Math.max(0, used / ((last.at - then.at) / 1000));
}

/**
 * The duration within which this share of messages ended, in seconds, on a straight line between the bounds of its
 * bucket, as Prometheus computes it; the last bound where it is beyond it.
 */
export function quantile(durations: readonly number[], bounds: readonly number[], share: number): number | undefined {
  const all = durations.reduce((sum, count) => sum + count, 0);
  if (all === 0) return undefined;
  const wanted = all * share;
  let below = 0;
  for (const [at, count] of durations.entries()) {
    if (below + count >= wanted && count > 0) {
      const upper = bounds[at];
      const lower = at === 0 ? 0 : (bounds[at - 1] as number);
      if (upper === undefined) return lower;
      return lower + ((wanted - below) / count) * (upper - lower);
    }
    below += count;
  }
  return bounds.at(-1);
}

function meanOf(durations: readonly number[], seconds: number): number | undefined {
  const all = durations.reduce((sum, count) => sum + count, 0);
  return all === 0 ? undefined : Math.max(0, seconds / all);
}

function handledOf({ succeeded, failed, dropped }: Pick<FlowCounts, 'succeeded' | 'failed' | 'dropped'>): number {
  return succeeded + failed + dropped;
}

/** One process less, as after its end, has counted less. */
function perSecond(count: number, milliseconds: number): number {
  return Math.max(0, (count / milliseconds) * 1000);
}

function added(one: readonly number[], other: readonly number[], factor: 1 | -1): readonly number[] {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, at) => Math.max(0, (one[at] ?? 0) + factor * (other[at] ?? 0)));
}
