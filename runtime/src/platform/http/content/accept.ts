/** What a caller accepts: a media range with its weight (RFC 9110, 12.5.1). */
interface Range {
  readonly type: string;
  readonly subtype: string;
  /** 0 to 1; 0: not at all. */
  readonly weight: number;
}

/** Ranges of a header that are looked at: one that names more is read no further. */
const mostRanges = 64;

/**
 * The media type that an `Accept` header prefers among those that are offered; of equal ones the first. Undefined: it accepts
 * none of them. A header that is absent or empty accepts everything; so does one without a single range that can be read.
 * Of the ranges that match an offer, the most specific one says its weight. Parameters other than `q` are not compared.
 */
export function accepted<T extends string>(header: string | undefined, offers: readonly T[]): T | undefined {
  const ranges = header === undefined ? [] : rangesOf(header);
  if (ranges.length === 0) return offers[0];
  let best: T | undefined;
  let most = 0;
  for (const offer of offers) {
    const weight = weightOf(offer, ranges);
    if (weight <= most) continue;
    best = offer;
    most = weight;
  }
  return best;
}

function weightOf(offer: string, ranges: readonly Range[]): number {
  const [type, subtype] = offer.split('/');
  let nearest = -1;
  let weight = 0;
  for (const range of ranges) {
    const isType = range.type === type;
    const isWhole = isType && range.subtype === subtype;
    const nearness = isWhole ? 2 : isType && range.subtype === '*' ? 1 : range.type === '*' ? 0 : -1;
    if (nearness < 0 || nearness < nearest) continue;
    // One that is named twice counts with its highest weight.
    weight = nearness === nearest ? Math.max(weight, range.weight) : range.weight;
    nearest = nearness;
  }
  return weight;
}

function rangesOf(header: string): readonly Range[] {
  const ranges: Range[] = [];
  for (const written of elementsOf(header, ',')) {
    const range = rangeOf(written);
    if (range !== undefined) ranges.push(range);
    if (ranges.length === mostRanges) break;
  }
  return ranges;
}

/** Undefined: it cannot be read, so that it is as if it were absent. */
function rangeOf(written: string): Range | undefined {
  const [name = '', ...parameters] = elementsOf(written, ';');
  const [, type, subtype] = /^([\w!#$&^.+*-]+)\/([\w!#$&^.+*-]+)$/.exec(name.toLowerCase()) ?? [];
  if (type === undefined || subtype === undefined || (type === '*' && subtype !== '*')) return undefined;
  const weighted = parameters.find((parameter) => /^q\s*=/i.test(parameter));
  const weight = weighted === undefined ? '1' : weighted.slice(weighted.indexOf('=') + 1).trim();
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? { type, subtype, weight: Number(weight) } : undefined;
}

/** What is between the dividers outside of quoted texts, without empty elements. */
function elementsOf(written: string, divider: ',' | ';'): readonly string[] {
  const elements: string[] = [];
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at <= written.length; at++) {
    const sign = written[at];
    if (isQuoted && sign === '\\') at++;
    else if (sign === '"') isQuoted = !isQuoted;
    if (at < written.length && (isQuoted || sign !== divider)) continue;
    const element = written.slice(begin, at).trim();
    if (element !== '') elements.push(element);
    begin = at + 1;
  }
  return elements;
}
