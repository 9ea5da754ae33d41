/** How the values of several processes become one. */
export type Merge = 'sum' | 'max' | 'min';

/** One metric: everything about it that does not change while the process runs. */
export interface MetricSpec {
  readonly name: string;
  /** `mean` is shown as a gauge. */
  readonly kind: 'counter' | 'gauge' | 'mean' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly merge: Merge;
}

/** Upper bounds of histogram buckets in seconds. */
export const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** A counter or gauge: one number that its owner changes in place. */
export class Value {
  value = 0;

  numbers(): number[] {
    return [this.value];
  }
}

/** A mean that can be merged. */
export class Mean {
  sum = 0;
  count = 0;

  numbers(): number[] {
    return [this.sum, this.count];
  }
}

/** Counts by bucket, the last one without an upper bound. */
export class Histogram {
  readonly #counts: number[] = new Array<number>(buckets.length + 1).fill(0);
  #sum = 0;

  observe(seconds: number): void {
    let at = 0;
    while (at < buckets.length && seconds > (buckets[at] as number)) at++;
    this.#counts[at]!++;
    this.#sum += seconds;
  }

  numbers(): number[] {
    return [...this.#counts, this.#sum];
  }
}

interface Samples {
  readonly counter: Value;
  readonly gauge: Value;
  readonly mean: Mean;
  readonly histogram: Histogram;
}

/** What a process holds, as data: by metric name, the numbers of each label set (`{flow="a"}`). */
export type MetricsSnapshot = readonly (readonly [name: string, series: readonly Series[]])[];

type Series = readonly [labels: string, numbers: readonly number[]];

/** All series of one metric. Hot paths keep the sample that `of` gives them; label values must come from the configuration. */
export class Family<K extends keyof Samples = keyof Samples> {
  readonly spec: MetricSpec;
  readonly #series = new Map<string, Samples[K]>();

  constructor(spec: MetricSpec & { readonly kind: K }) {
    this.spec = spec;
    if (spec.labels.length === 0) this.of();
  }

  /** The sample of these label values, in the order of the labels. */
  of(...values: readonly string[]): Samples[K] {
    const key = labelText(this.spec.labels, values);
    let sample = this.#series.get(key);
    if (sample === undefined) {
      sample = newSample(this.spec.kind) as Samples[K];
      this.#series.set(key, sample);
    }
    return sample;
  }

  /** The sample of these label values where it was made; looking for it makes none. */
  known(...values: readonly string[]): Samples[K] | undefined {
    return this.#series.get(labelText(this.spec.labels, values));
  }

  /** The first number of all series that have these labels, added up. */
  total(labels: Readonly<Record<string, string>> = {}): number {
    const wanted = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
    let sum = 0;
    for (const [text, sample] of this.#series)
      if (wanted.every((each) => `,${text},`.includes(`,${each},`))) sum += sample.numbers()[0] ?? 0;
    return sum;
  }

  /** Forgets every series, for gauges that are computed again. */
  clear(): void {
    this.#series.clear();
  }

  series(): Series[] {
    return [...this.#series].map(([labels, sample]) => [labels, sample.numbers()]);
  }
}

function newSample(kind: MetricSpec['kind']): Value | Mean | Histogram {
  return kind === 'histogram' ? new Histogram() : kind === 'mean' ? new Mean() : new Value();
}

function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return '';
  return names.map((name, at) => `${name}="${escapeLabel(values[at] ?? '')}"`).join(',');
}

function escapeLabel(text: string): string {
  return /["\\\n]/.test(text) ? text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n') : text;
}

/** The series of several processes as one. Metrics without a spec are left out. */
export function mergeSnapshots(specs: readonly MetricSpec[], snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const merged = new Map(specs.map(({ name }) => [name, new Map<string, readonly number[]>()]));
  const merges = new Map(specs.map(({ name, merge }) => [name, merge]));
  for (const [name, series] of snapshots.flat()) {
    const family = merged.get(name);
    const combine = combiners[merges.get(name) ?? 'sum'];
    for (const [labels, numbers] of series) {
      const known = family?.get(labels);
      family?.set(labels, known === undefined ? numbers : numbers.map((value, at) => combine(known[at] ?? 0, value)));
    }
  }
  return [...merged].map(([name, series]) => [name, [...series]]);
}

const combiners: Readonly<Record<Merge, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  max: Math.max,
  min: Math.min,
};

/** Text exposition format 0.0.4 of Prometheus. */
export function exposition(specs: readonly MetricSpec[], snapshot: MetricsSnapshot): string {
  const byName = new Map(snapshot);
  let text = '';
  for (const { name, kind, help } of specs) {
    const series = byName.get(name) ?? [];
    if (series.length === 0) continue;
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${kind === 'mean' ? 'gauge' : kind}\n`;
    for (const [labels, numbers] of series) text += seriesText(name, kind, labels, numbers);
  }
  return text;
}

function seriesText(name: string, kind: MetricSpec['kind'], labels: string, numbers: readonly number[]): string {
  const braces = labels === '' ? '' : `{${labels}}`;
  if (kind === 'mean') {
    const [sum = 0, count = 0] = numbers;
    return `${name}${braces} ${count === 0 ? 0 : sum / count}\n`;
  }
  if (kind !== 'histogram') return `${name}${braces} ${numbers[0] ?? 0}\n`;
  const before = labels === '' ? '' : `${labels},`;
  let text = '';
  let count = 0;
  for (let at = 0; at <= buckets.length; at++) {
    count += numbers[at] ?? 0;
    text += `${name}_bucket{${before}le="${buckets[at] ?? '+Inf'}"} ${count}\n`;
  }
  return `${text}${name}_sum${braces} ${numbers[buckets.length + 1] ?? 0}\n${name}_count${braces} ${count}\n`;
}
