import { useStore } from '../state/use-store.ts';
import { groupedDigits } from '../values/values.ts';
import { type LiveFigures, lagsOf, shownRate, sumOf } from './figures.ts';
import type { Queues } from './queues.ts';
import type { QueueSource } from './sources.ts';

interface StatsProps {
  readonly queues: Queues;
  readonly source: QueueSource;
  /** One of its messages is paused. */
  readonly isHeld: boolean;
}

/** How the source is: what the service holds, and what its broker says. What it does not say is named so. */
export function Stats({ queues, source: { connector, ready, unacked, prefetch }, isHeld }: StatsProps) {
  const figures = useStore(queues.figures, (all) => all.get(connector));
  if (unacked === undefined) return null;
  return (
    <>
      <dl className="stats">
        <Stat
          title="Ready"
          value={counted(ready ?? undefined)}
          detail={ready === null ? 'not reported by the broker' : ''}
        />
        <Stat title="Unacked" value={counted(unacked)} detail={isHeld ? 'by you' : 'by this service'} />
        {typeof prefetch === 'number' && <Stat title="Prefetch" value={counted(unacked)} detail={`of ${prefetch}`} />}
        {figures !== undefined && <Said figures={figures} />}
      </dl>
      <Lags figures={figures} />
    </>
  );
}

function Said({ figures: { places, arriving, done } }: { readonly figures: LiveFigures }) {
  const unacknowledged = sumOf(places, 'unacknowledged');
  return (
    <>
      {unacknowledged !== undefined && <Stat title="Unacked at the broker" value={counted(unacknowledged)} />}
      <Stat title="Consumers" {...orUnknown(counted(sumOf(places, 'consumers')))} />
      <Stat title="Arriving" {...orUnknown(rateOf(places, 'arrived', arriving))} />
      <Stat title="Settled" {...orUnknown(rateOf(places, 'done', done))} />
    </>
  );
}

/** A rate needs two looks. */
function rateOf(places: LiveFigures['places'], of: 'arrived' | 'done', rate: number | undefined): string | undefined {
  if (rate !== undefined) return shownRate(rate);
  return sumOf(places, of) === undefined ? undefined : '\u2026';
}

function orUnknown(value: string | undefined) {
  return value === undefined ? { value: '\u2013', detail: 'not reported' } : { value };
}

/** How far a group is behind in each partition of its topics. */
function Lags({ figures }: { readonly figures: LiveFigures | undefined }) {
  const lags = lagsOf(figures?.places ?? null);
  if (lags.length === 0) return null;
  return (
    <ul className="lags" aria-label="Lag of each partition">
      {lags.map(({ name, lag }) => (
        <li key={name} className={lag > 0 ? 'behind' : undefined}>
          <span className="mono ellipsis">{name}</span> {counted(lag)}
        </li>
      ))}
    </ul>
  );
}

function Stat({
  title,
  value,
  detail = '',
}: {
  readonly title: string;
  readonly value: string | undefined;
  readonly detail?: string;
}) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {value}
        {detail !== '' && <small>{detail}</small>}
      </dd>
    </div>
  );
}

function counted(value: number | undefined): string | undefined {
  return value === undefined ? undefined : groupedDigits(value);
}
