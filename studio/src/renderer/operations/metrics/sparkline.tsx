import { lookedBack, type RatePoint } from './history.ts';

interface SparklineProps {
  readonly points: readonly RatePoint[];
  /** When the right end is, by the clock of the points. */
  readonly now: number;
  readonly width: number;
  readonly height: number;
  /** What it shows, for those who do not see it. */
  readonly label: string;
}

/** Rates of the last two minutes: an area for all messages, a line for those that failed. */
export function Sparkline({ points, now, width, height, label }: SparklineProps) {
  const most = Math.max(0, ...points.map(({ handled }) => handled));
  const x = (at: number) => round(width * (1 - (now - at) / lookedBack));
  const y = (rate: number) => round(height - 1 - (most === 0 ? 0 : (rate / most) * (height - 3)));
  const shown = points.filter(({ at }) => at >= now - lookedBack);
  const runs = runsOf(shown);
  const hasFailed = shown.some(({ failed }) => failed > 0);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className="base" d={`M0 ${height - 0.5}H${width}`} />
      {runs.map((run) => {
        const line = lineOf(run.map(({ at, handled }) => [x(at), y(handled)]));
        const [first, last] = [x(run[0]?.at ?? now), x(run.at(-1)?.at ?? now)];
        return (
          <g key={run[0]?.at}>
            <path className="area" d={`${line}L${last} ${height}L${first} ${height}Z`} />
            <path className="line" d={line} />
            {hasFailed && <path className="failed" d={lineOf(run.map(({ at, failed }) => [x(at), y(failed)]))} />}
          </g>
        );
      })}
    </svg>
  );
}

/** Points between which nothing is missing. */
function runsOf(points: readonly RatePoint[]): readonly (readonly RatePoint[])[] {
  const runs: RatePoint[][] = [];
  for (const point of points) {
    if (point.isFirst || runs.length === 0) runs.push([]);
    runs.at(-1)?.push(point);
  }
  return runs;
}

function lineOf(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
