import { Failure } from '../../foundation/errors/failure.ts';

/** A path whose parameters are filled for each message. */
export interface PathTemplate {
  /** The path before parameters are filled, without query: safe to log. */
  readonly shown: string;
  /** Names that `fill` reads, in order of appearance. */
  readonly names: readonly string[];
  /** The encoded path with its query. `value` gives undefined or null for a name without a value: it stays as written. */
  fill(value: (name: string) => unknown): string;
}

const parameter = /(?<=\/):([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}/g;

/** Prepares `/orders/:id/lines?full=1` below a base path (`''` or `/v2`). */
export function compilePath(base: string, written: string): PathTemplate {
  const path = rooted(written);
  const at = path.indexOf('?');
  const shown = base + (at < 0 ? path : path.slice(0, at));
  const query = at < 0 ? '' : encodeRest(path.slice(at));
  const literals: string[] = [];
  const names: string[] = [];
  let from = 0;
  for (const match of shown.matchAll(parameter)) {
    literals.push(encodeRest(shown.slice(from, match.index)));
    names.push((match[1] ?? match[2]) as string);
    from = match.index + match[0].length;
  }
  const last = encodeRest(shown.slice(from)) + query;
  if (names.length === 0) return { shown, names, fill: () => last };
  const originals = [...shown.matchAll(parameter)].map((match) => encodeRest(match[0]));
  return {
    shown,
    names,
    fill: (value) => {
      let filled = '';
      for (let i = 0; i < names.length; i++) {
        const name = names[i] as string;
        const given = value(name);
        filled += literals[i];
        filled += given === undefined || given === null ? originals[i] : segment(name, given);
      }
      return filled + last;
    },
  };
}

/** Encodes a whole path that came with a message. It stays below the base path: `..` in any spelling is refused. */
export function dynamicPath(base: string, given: string): string {
  const path = rooted(given);
  const plain = path.split('?', 1)[0] as string;
  for (const spelling of readingsOf(plain)) {
    if (/[\x00-\x1f\x7f\ufffd]/.test(spelling))
      throw new Failure('value_refused', 'the path of the request must not hold control characters or broken UTF-8');
    if (spelling.split(/[/\\]/).some(climbs))
      throw new Failure('value_refused', 'the path of the request must not hold "." or ".." segments');
  }
  return base + encodeRest(path);
}

/** Times that servers and proxies on the way may decode a path, one after another. */
const mostReadings = 8;

/** What servers may read in a path: some decode it once, some decode the result again. Throws `value_refused`. */
function readingsOf(path: string): readonly string[] {
  const readings = [path.toWellFormed()];
  for (;;) {
    const last = readings.at(-1) as string;
    const next = last.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (encoded) =>
      Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8'),
    );
    if (next === last) return readings;
    if (readings.length === mostReadings)
      throw new Failure('value_refused', 'the path of the request is encoded too many times');
    readings.push(next);
  }
}

/**
 * Whether a segment is `.` or `..` to some server: parameters after `;` are cut off, and what a server takes for a query or the end
 * once it has decoded twice; blanks at the ends are left out, forms of other width are folded, and any run of dots is one.
 */
function climbs(segment: string): boolean {
  const [name = ''] = segment.normalize('NFKC').split(/[;?#\x00]/, 1);
  return /^\.+$/.test(name.trim());
}

/** One leading slash, so that nothing can be read as the name of another host. */
function rooted(path: string): string {
  return `/${path.trim().replace(/^[/\\]+/, '')}`;
}

/** A value as one segment. It can neither be empty nor move to another directory: both would be another resource. */
function segment(name: string, value: unknown): string {
  if (typeof value === 'object')
    throw new Failure('value_refused', `path parameter "${name}" must be a text or a number`);
  const text = String(value);
  if (text === '' || climbs(text)) {
    throw new Failure('value_refused', `path parameter "${name}" must not be empty, "." or ".."`);
  }
  return encodeURIComponent(text.toWellFormed());
}

/** Encodes what may not be part of a path or query and leaves what is encoded already. */
function encodeRest(text: string): string {
  return text.toWellFormed().replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%?]/gu, encodeURIComponent);
}
