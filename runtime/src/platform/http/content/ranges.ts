/** Bytes of a content from `start` to `end`, which is not included. */
export interface Slice {
  readonly start: number;
  readonly end: number;
}

/** Ranges that one request may ask for: one that asks for more is answered with everything. */
const mostRanges = 32;

/**
 * What a header `Range` asks of a content of `size` bytes (RFC 9110, 14.2), in the order in which it is asked for.
 * Undefined: the header is malformed, of another unit, or asks for so many ranges or so much that everything is cheaper;
 * then it is as if it were absent. An empty list: nothing that it asks for is there.
 */
export function slicesOf(header: string, size: number): readonly Slice[] | undefined {
  const [, list] = /^bytes=(.*)$/i.exec(header.trim()) ?? [];
  const written = list?.split(',').map((each) => each.trim());
  const asked = written?.filter((each) => each !== '');
  if (asked === undefined || asked.length === 0 || asked.length > mostRanges) return undefined;
  const slices: Slice[] = [];
  for (const each of asked) {
    const slice = sliceOf(each, size);
    if (slice === undefined) return undefined;
    if (slice.start < slice.end) slices.push(slice);
  }
  return overlap(slices) ? undefined : slices;
}

/** Empty where the content does not have it; undefined: malformed. */
function sliceOf(written: string, size: number): Slice | undefined {
  const [, first, last] = /^(\d*)-(\d*)$/.exec(written) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) };
}

/** A caller that asks for the same bytes twice would be sent more than there is. */
function overlap(slices: readonly Slice[]): boolean {
  const ordered = slices.toSorted((a, b) => a.start - b.start);
  return ordered.some(({ end }, at) => end > (ordered[at + 1]?.start ?? end));
}
