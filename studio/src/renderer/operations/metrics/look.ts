/** `0`, `0.4`, `3.2`, `34`, `1 240`. */
export function shownRate(rate: number): string {
  if (rate === 0) return '0';
  if (rate < 0.05) return '<0.1';
  return rate < 10
    ? rate.toFixed(1).replace(/\.0$/, '')
    : Math.round(rate).toLocaleString('en').replaceAll(',', '\u2009');
}

/** `0.8 ms`, `12 ms`, `1.4 s`. */
export function shownSeconds(seconds: number): string {
  const milliseconds = seconds * 1000;
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${seconds.toFixed(1)} s`;
}

/** A duration that is read from buckets: what is in the first or beyond the last is known no better than that. */
export function shownQuantile(seconds: number, bounds: readonly number[]): string {
  const [first = 0] = bounds;
  const last = bounds.at(-1) ?? Number.POSITIVE_INFINITY;
  if (seconds <= first) return `<${shownBound(first)}`;
  return seconds >= last ? `>${shownBound(last)}` : shownSeconds(seconds);
}

function shownBound(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds} s`;
}

/** `48 MB`, `1.2 GB`. */
export function shownMemory(bytes: number): string {
  const megabytes = bytes / 1_048_576;
  return megabytes < 1_024 ? `${Math.round(megabytes)} MB` : `${(megabytes / 1_024).toFixed(1)} GB`;
}
