import type { MetricsEntry } from '@svc/protocol/wire';
import { type Figures, figuresOf, type Look, type RatePoint, ratesOf } from './history.ts';

/** One flow in the table. */
export interface MetricRow extends Figures {
  readonly flow: string;
  readonly points: readonly RatePoint[];
  /** Messages that its event source tries again; undefined: it is not behind one. */
  readonly retried: number | undefined;
  /** The event source, where other flows have it too: what is tried again is of all of them. */
  readonly sharedSource: string | undefined;
}

export const columns = ['flow', 'rate', 'errors', 'median', 'p95', 'inFlight', 'dropped', 'retried'] as const;
export type Column = (typeof columns)[number];

export interface Order {
  readonly by: Column;
  readonly isDescending: boolean;
}

const comparedBy: Readonly<Record<Column, (row: MetricRow) => string | number>> = {
  flow: ({ flow }) => flow,
  rate: ({ handledRate = 0, handled }) => handledRate + handled / 1e12,
  errors: ({ failedRate = 0, failed }) => failedRate + failed / 1e12,
  median: ({ median = -1 }) => median,
  p95: ({ p95 = -1 }) => p95,
  inFlight: ({ inFlight }) => inFlight,
  dropped: ({ dropped }) => dropped,
  retried: ({ retried = -1 }) => retried,
};

/** A row for each flow. */
export function rowsOf(looks: readonly Look[], { flows, sources }: MetricsEntry): readonly MetricRow[] {
  return flows.map(({ flow }) => {
    const source = sources.find((each) => each.flows.includes(flow));
    return {
      flow,
      ...figuresOf(looks, flow),
      points: ratesOf(looks, flow),
      retried: source && source.retried + source.rejected,
      sharedSource: source !== undefined && source.flows.length > 1 ? source.connector : undefined,
    };
  });
}

/** Those whose name contains a text, in the order that is wanted; equal ones by their names. */
export function arranged(rows: readonly MetricRow[], text: string, { by, isDescending }: Order): readonly MetricRow[] {
  const wanted = text.trim().toLowerCase();
  const value = comparedBy[by];
  const factor = isDescending ? -1 : 1;
  return rows
    .filter(({ flow }) => flow.toLowerCase().includes(wanted))
    .sort((one, other) => {
      const [a, b] = [value(one), value(other)];
      if (a !== b) return (a < b ? -1 : 1) * factor;
      return one.flow < other.flow ? -1 : 1;
    });
}

/** The order after a click at the head of a column: names from the first, numbers from the largest. */
export function clicked(order: Order, by: Column): Order {
  if (order.by === by) return { by, isDescending: !order.isDescending };
  return { by, isDescending: by !== 'flow' };
}
