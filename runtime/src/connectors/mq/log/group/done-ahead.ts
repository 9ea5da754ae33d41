/** What of a partition is done behind the first message that is not: everything before `until` but `open`. */
export interface DoneAhead {
  readonly until: bigint;
  /** In ascending order; the first one is the offset that is committed. */
  readonly open: readonly bigint[];
}

/** What is done by one or the other, from an offset on. */
export function together(one: DoneAhead, other: DoneAhead, from: bigint): DoneAhead {
  const [longer, shorter] = one.until >= other.until ? [one, other] : [other, one];
  const open = new Set(shorter.open);
  const isOpen = (offset: bigint) => offset >= shorter.until || open.has(offset);
  return { until: longer.until, open: longer.open.filter((offset) => offset >= from && isOpen(offset)) };
}

/** Bytes that a broker takes beside an offset by default. */
const longest = 4000;
const format = /^svc:1:(\d{1,18}(?:,\d{1,18})*)$/;

/**
 * As it is kept beside the offset, which logs offer for such purposes: numbers relative to it, the end first. Empty when
 * there is nothing to keep, or too much: then what is done ahead comes again.
 */
export function writeDoneAhead({ until, open }: DoneAhead): string {
  const [first] = open;
  if (first === undefined || until - first <= BigInt(open.length)) return '';
  const text = `svc:1:${[until, ...open.slice(1)].map((offset) => offset - first).join()}`;
  return text.length <= longest ? text : '';
}

/** Reads it beside a committed offset; undefined for anything else. */
export function readDoneAhead(text: string | null | undefined, offset: bigint): DoneAhead | undefined {
  const [, numbers] = format.exec(text ?? '') ?? [];
  if (numbers === undefined) return undefined;
  const [until, ...open] = numbers.split(',').map((number) => offset + BigInt(number)) as [bigint, ...bigint[]];
  return { until, open: [offset, ...open] };
}
