import { below, doesNotFit, kindOf } from '../typed/problem.ts';

/** A message of Google's own files whose JSON is not an object of its fields. */
export interface WellKnown {
  /** What the message is, all of its fields given. */
  read(message: Readonly<Record<string, unknown>>): unknown;
  /** The fields of the message of a value. Throws a Failure `value_refused` for what it cannot be. */
  write(value: unknown, path: string): unknown;
}

const billion = 1_000_000_000n;

const wrapper: WellKnown = {
  read: ({ value }) => value,
  write: (value) => ({ value }),
};

const timestamp: WellKnown = {
  read: ({ seconds, nanos }) => {
    const whole = Number(seconds as number | bigint) * 1000;
    // What RFC 3339 cannot say stays what it is.
    if (!Number.isFinite(whole) || Math.abs(whole) > 8.64e15) return { seconds, nanos };
    return `${new Date(whole).toISOString().slice(0, -5)}${fraction(Number(nanos))}Z`;
  },
  write: (value, path) => {
    const text = value instanceof Date ? value.toISOString() : value;
    const [, second, digits = ''] =
      (typeof text === 'string' &&
        /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|[+-]\d\d:\d\d)$/.exec(text)) ||
      [];
    const zone = typeof text === 'string' ? /(?:[Zz]|[+-]\d\d:\d\d)$/.exec(text)?.[0] : undefined;
    const at = second === undefined ? Number.NaN : Date.parse(`${second.replace(' ', 'T')}${zone}`);
    if (Number.isNaN(at)) throw doesNotFit(path, `must be a time such as 2024-05-01T12:00:00Z, not ${kindOf(value)}`);
    return { seconds: at / 1000, nanos: Number(digits.padEnd(9, '0')) };
  },
};

const duration: WellKnown = {
  read: ({ seconds, nanos }) => {
    const sign = BigInt(seconds as number) < 0n || Number(nanos) < 0 ? '-' : '';
    return `${sign}${String(seconds).replace('-', '')}${fraction(Math.abs(Number(nanos)))}s`;
  },
  write: (value, path) => {
    const [, sign, seconds, digits = ''] =
      (typeof value === 'string' && /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(value)) || [];
    if (seconds === undefined) throw doesNotFit(path, `must be a duration such as 1.5s, not ${kindOf(value)}`);
    const nanos = BigInt(seconds) * billion + BigInt(digits.padEnd(9, '0'));
    const signed = sign === '-' ? -nanos : nanos;
    return { seconds: signed / billion, nanos: Number(signed % billion) };
  },
};

const fieldMask: WellKnown = {
  read: ({ paths }) => (paths as readonly string[]).join(','),
  write: (value, path) => {
    if (typeof value !== 'string') throw doesNotFit(path, `must be names separated by commas, not ${kindOf(value)}`);
    return { paths: value === '' ? [] : value.split(',') };
  },
};

const struct: WellKnown = {
  read: ({ fields }) => fields,
  write: (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
      throw doesNotFit(path, `must be an object, not ${kindOf(value)}`);
    return { fields: value };
  },
};

const anyValue: WellKnown = {
  read: (message) => {
    const [[kind, value] = []] = Object.entries(message);
    return kind === undefined || kind === 'nullValue' ? null : value;
  },
  write: (value, path) => {
    if (value === null || value === undefined) return { nullValue: 'NULL_VALUE' };
    if (typeof value === 'string') return { stringValue: value };
    if (typeof value === 'boolean') return { boolValue: value };
    if (typeof value === 'number' || typeof value === 'bigint') return { numberValue: value };
    if (Array.isArray(value)) return { listValue: value };
    if (typeof value === 'object' && !(value instanceof Uint8Array)) return { structValue: value };
    throw doesNotFit(below(path, 'value'), `must be a value of JSON, not ${kindOf(value)}`);
  },
};

const listValue: WellKnown = {
  read: ({ values }) => values,
  write: (values, path) => {
    if (!Array.isArray(values)) throw doesNotFit(path, `must be a list, not ${kindOf(values)}`);
    return { values };
  },
};

const wrapped = ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'];

/** Those messages by their full names, as the library writes them. */
export const wellKnown: ReadonlyMap<string, WellKnown> = new Map([
  ...wrapped.map((name): [string, WellKnown] => [`.google.protobuf.${name}Value`, wrapper]),
  ['.google.protobuf.Timestamp', timestamp],
  ['.google.protobuf.Duration', duration],
  ['.google.protobuf.FieldMask', fieldMask],
  ['.google.protobuf.Struct', struct],
  ['.google.protobuf.Value', anyValue],
  ['.google.protobuf.ListValue', listValue],
]);

/** Nanoseconds behind a point, in as few of three, six or nine digits as they need; nothing for 0. */
function fraction(nanos: number): string {
  if (nanos === 0) return '';
  const digits = String(nanos).padStart(9, '0');
  return `.${digits.endsWith('000000') ? digits.slice(0, 3) : digits.endsWith('000') ? digits.slice(0, 6) : digits}`;
}
