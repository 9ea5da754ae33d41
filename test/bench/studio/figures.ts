/** What was measured several times, in milliseconds. */
export type Times = readonly number[];

export function percentile(times: Times, share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}

export function summary(times: Times): string {
  return `median ${milliseconds(percentile(times, 0.5))}, 95th percentile ${milliseconds(percentile(times, 0.95))}`;
}

export function milliseconds(value: number): string {
  return `${value < 100 ? value.toFixed(1) : Math.round(value)} ms`;
}

/** Prints one figure beside a reference of the same run. */
export function print(
  what: string,
  times: Times,
  target: string,
  beside?: readonly [what: string, times: Times],
): void {
  const reference = beside === undefined ? '' : `; ${beside[0]} ${summary(beside[1])}`;
  console.log(`  ${what}: ${summary(times)} of ${times.length} (target: ${target})${reference}`);
}

/** One after another, so that nothing is measured while something else is. */
export async function repeated<T>(count: number, work: (round: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let round = 0; round < count; round++) all.push(await work(round));
  return all;
}
