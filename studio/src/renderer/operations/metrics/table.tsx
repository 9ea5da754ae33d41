import { useStudio } from '../../shell/studio.ts';
import { Icon } from '../../theme/icon.tsx';
import { groupedDigits } from '../../values/values.ts';
import { textOf } from '../place.ts';
import { shownQuantile, shownRate, shownSeconds } from './look.ts';
import type { Column, MetricRow, Order } from './rows.ts';
import { Sparkline } from './sparkline.tsx';

interface TableProps {
  readonly rows: readonly MetricRow[];
  /** When the newest look was. */
  readonly now: number;
  /** Upper bounds of the buckets that durations are read from, in seconds. */
  readonly bounds: readonly number[];
  readonly order: Order;
  /** Some flows take messages of a broker, which are tried again. */
  readonly hasSources: boolean;
  readonly onOrder: (by: Column) => void;
}

const titles: Readonly<Record<Column, string>> = {
  flow: 'Flow',
  rate: 'Requests/s',
  errors: 'Errors/s',
  median: 'p50',
  p95: 'p95',
  inFlight: 'In flight',
  dropped: 'Dropped',
  retried: 'Retried',
};

/** A row for each flow; a head sorts by its column. */
export function MetricTable({ rows, now, bounds, order, hasSources, onOrder }: TableProps) {
  const head = (by: Column) => <SortHead key={by} by={by} order={order} onOrder={onOrder} />;
  return (
    <div className="metric-rows">
      <table className="table metric-table" aria-label="Flows">
        <colgroup>
          <col className="of-flow" />
          <col className="of-rate" />
          <col className="of-line" />
          <col className="of-number" />
          <col className="of-number" />
          <col className="of-number" />
          <col className="of-number" />
          <col className="of-number" />
          {hasSources && <col className="of-number" />}
        </colgroup>
        <thead>
          <tr>
            {head('flow')}
            {head('rate')}
            <th className="line-head">Last 2 min</th>
            {head('errors')}
            {head('median')}
            {head('p95')}
            {head('inFlight')}
            {head('dropped')}
            {hasSources && head('retried')}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.flow} row={row} now={now} bounds={bounds} hasSources={hasSources} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SortHeadProps {
  readonly by: Column;
  readonly order: Order;
  readonly onOrder: (by: Column) => void;
}

function SortHead({ by, order, onOrder }: SortHeadProps) {
  const isSorted = order.by === by;
  const sorted = !isSorted ? 'none' : order.isDescending ? 'descending' : 'ascending';
  return (
    <th className={by === 'flow' ? undefined : 'end'} aria-sort={sorted}>
      <button type="button" className="sort-head" onClick={() => onOrder(by)}>
        {titles[by]}
        {isSorted && <Icon name="chevron-down" size="small" className={order.isDescending ? undefined : 'upwards'} />}
      </button>
    </th>
  );
}

interface RowProps {
  readonly row: MetricRow;
  readonly now: number;
  readonly bounds: readonly number[];
  readonly hasSources: boolean;
}

function Row({ row, now, bounds, hasSources }: RowProps) {
  const studio = useStudio();
  const { flow, handledRate, handled, failedRate, failed, inFlight, dropped, median, p95, mean, isOld } = row;
  const show = textOf(studio, flow);
  const most = Math.max(0, ...row.points.map((point) => point.handled));
  const isFailing = (failedRate ?? 0) > 0;
  const age = isOld ? 'Since the start: nothing came in the last two minutes' : 'Of the last two minutes';
  const about = mean === undefined ? undefined : `${age}. On average ${shownSeconds(mean)}`;
  return (
    <tr className={handled === 0 && inFlight === 0 ? 'idle' : undefined}>
      <td className="mono">
        <button
          type="button"
          className="ellipsis choose"
          disabled={show === undefined}
          title={show === undefined ? flow : `${flow}: show where it is written`}
          onClick={show}
        >
          {flow}
        </button>
      </td>
      <td className="numeric end strong" title={`${groupedDigits(handled)} since the start`}>
        {handledRate === undefined ? '\u2026' : shownRate(handledRate)}
      </td>
      <td className="line-cell">
        <Sparkline
          points={row.points}
          now={now}
          width={120}
          height={20}
          label={`Requests a second of ${flow}, ${shownRate(most)} at most`}
        />
      </td>
      <td
        className={isFailing ? 'numeric end error ink' : 'numeric end'}
        title={`${groupedDigits(failed)} since the start`}
      >
        {failedRate === undefined ? '\u2026' : shownRate(failedRate)}
      </td>
      <td className={isOld ? 'numeric end old' : 'numeric end'} title={about}>
        {median === undefined ? '\u2013' : shownQuantile(median, bounds)}
      </td>
      <td className={isOld ? 'numeric end old' : 'numeric end'} title={about}>
        {p95 === undefined ? '\u2013' : shownQuantile(p95, bounds)}
      </td>
      <td className={inFlight > 0 ? 'numeric end info ink' : 'numeric end'}>{groupedDigits(inFlight)}</td>
      <td className="numeric end">{groupedDigits(dropped)}</td>
      {hasSources && <RetriedCell row={row} />}
    </tr>
  );
}

function RetriedCell({ row: { retried, sharedSource } }: { readonly row: MetricRow }) {
  const title = sharedSource === undefined ? undefined : `Of all flows that take messages from ${sharedSource}`;
  return (
    <td className="numeric end" title={title}>
      {retried === undefined ? '\u2013' : groupedDigits(retried)}
    </td>
  );
}
