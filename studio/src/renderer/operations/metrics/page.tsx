import type { MetricsEntry } from '@svc/protocol/wire';
import { useEffect, useState } from 'react';
import { flowsOf } from '../../debug/session/flow-map.ts';
import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { groupedDigits } from '../../values/values.ts';
import { shownTime } from '../amounts.ts';
import { Head, LiveContent } from '../page-parts.tsx';
import { figuresOf, type Look, processorShare, ratesOf } from './history.ts';
import { shownMemory, shownQuantile, shownRate, shownSeconds } from './look.ts';
import type { Metrics } from './metrics.ts';
import { arranged, clicked, type Order, rowsOf } from './rows.ts';
import { Sparkline } from './sparkline.tsx';
import { MetricTable } from './table.tsx';

/** Makes the tab with what flows of the attached service do. */
export function metricsPage(metrics: Metrics) {
  return function MetricsPage() {
    const live = useStore(metrics.entry.state);
    useEffect(() => metrics.entry.watch(), []);
    return (
      <section className="operation-page metrics-page" aria-label="Metrics">
        <Head icon="pulse" title="Metrics" about="By flow, of the last two minutes" />
        <LiveContent live={live} isKnown={metrics.entry.isKnown} what="Rates and durations of flows">
          {(entry) => <Flows metrics={metrics} entry={entry} />}
        </LiveContent>
      </section>
    );
  };
}

function Flows({ metrics, entry }: { readonly metrics: Metrics; readonly entry: MetricsEntry }) {
  // The places of flows in their texts.
  useStore(flowsOf(useStudio()).outline);
  const looks = useStore(metrics.looks);
  const [text, setText] = useState('');
  const [order, setOrder] = useState<Order>({ by: 'rate', isDescending: true });
  const rows = rowsOf(looks, entry);
  const shown = arranged(rows, text, order);
  const isIdle = entry.flows.every(
    ({ succeeded, failed, dropped, inFlight }) => succeeded + failed + dropped + inFlight === 0,
  );
  return (
    <>
      <Totals looks={looks} entry={entry} />
      <search className="keys-bar" aria-label="Filter flows">
        <label className="search grow">
          <Icon name="filter" />
          <input
            value={text}
            placeholder="Filter flows"
            aria-label="Filter flows by their names"
            spellCheck={false}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={({ key }) => key === 'Escape' && setText('')}
          />
        </label>
        <span className="sub">
          {shown.length === rows.length ? groupedDigits(rows.length) : `${shown.length} of ${rows.length}`} flows
        </span>
      </search>
      {isIdle && (
        <p className="note">
          <Icon name="info" className="ink" />
          <span>No message has come since the service was started. Send a request, and its flow moves here.</span>
        </p>
      )}
      {shown.length === 0 ? (
        <p className="section-empty">{rows.length === 0 ? 'This service has no flows.' : 'No flow has this name.'}</p>
      ) : (
        <MetricTable
          rows={shown}
          now={looks.at(-1)?.at ?? 0}
          bounds={entry.bounds}
          order={order}
          hasSources={entry.sources.length > 0}
          onOrder={(by) => setOrder(clicked(order, by))}
        />
      )}
    </>
  );
}

/** Everything together, and how the processes are. */
function Totals({ looks, entry }: { readonly looks: readonly Look[]; readonly entry: MetricsEntry }) {
  const all = figuresOf(looks);
  const points = ratesOf(looks);
  const { processes, uptimeSeconds, memoryBytes, heapBytes, lagSeconds, requestsInFlight } = entry.process;
  const share = processorShare(looks);
  const most = Math.max(0, ...points.map(({ handled }) => handled));
  return (
    <div className="metric-totals">
      <dl className="stats">
        <Stat title="Requests" value={orNone(all.handledRate, shownRate)} detail="/s" />
        <Stat
          title="Errors"
          value={orNone(all.failedRate, shownRate)}
          detail="/s"
          className={(all.failedRate ?? 0) > 0 ? 'error' : undefined}
        />
        <Stat title="In flight" value={groupedDigits(Math.max(requestsInFlight, all.inFlight))} />
        <Stat
          title="p95"
          value={all.p95 === undefined ? '\u2013' : shownQuantile(all.p95, entry.bounds)}
          about={all.mean === undefined ? undefined : `On average ${shownSeconds(all.mean)}`}
        />
        <Stat
          title={processes > 1 ? `Memory of ${processes}` : 'Memory'}
          value={shownMemory(memoryBytes)}
          about={`${shownMemory(heapBytes)} of it are objects, in ${processes === 1 ? 'one process' : `${processes} processes`}`}
        />
        <Stat title="Processor" value={orNone(share, (value) => `${Math.round(value * 100)} %`)} />
        <Stat title="Event loop" value={shownSeconds(lagSeconds)} about="How late it was when it was measured last" />
        <Stat title="Uptime" value={shownTime(uptimeSeconds * 1000)} />
      </dl>
      <figure className="traffic">
        <Sparkline
          points={points}
          now={looks.at(-1)?.at ?? 0}
          width={1_000}
          height={64}
          label={`Requests a second of all flows in the last two minutes, ${shownRate(most)} at most`}
        />
        <figcaption>
          <span>2 min ago</span>
          <span className="traffic-key">
            <span>requests, {shownRate(most)}/s at most</span>
            <span className="of-errors">errors</span>
          </span>
          <span>now</span>
        </figcaption>
      </figure>
    </div>
  );
}

interface StatProps {
  readonly title: string;
  readonly value: string;
  readonly detail?: string | undefined;
  readonly className?: string | undefined;
  /** More about it. */
  readonly about?: string | undefined;
}

function Stat({ title, value, detail, className, about }: StatProps) {
  return (
    <div title={about}>
      <dt>{title}</dt>
      <dd className={className}>
        {value}
        {detail !== undefined && value !== none && <small>{detail}</small>}
      </dd>
    </div>
  );
}

/** What is shown where a second look is needed. */
const none = '\u2026';

function orNone(value: number | undefined, shown: (value: number) => string): string {
  return value === undefined ? none : shown(value);
}
