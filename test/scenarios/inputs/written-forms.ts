// The hostile texts of JSON in the forms of other protocols, made without the code under test.

/** A text as bytes: what came as a byte stays that byte, what was written as an escape is UTF-8, also half a character. */
function bytesOf(text: string): Buffer {
  const units = [...Array(text.length).keys()].map((at) => text.charCodeAt(at));
  return Buffer.concat(
    units.map((unit) =>
      unit <= 0xff
        ? Buffer.from([unit])
        : Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]),
    ),
  );
}

/** The fields of an object of JSON, with a character for each byte of its texts; undefined for what is not JSON. */
function fieldsOf(json: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(json.toString('latin1')) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** Levels of what never ends. */
const levels = 2_000;

/** The body of an envelope of SOAP 1.1. */
export function soapForm(json: Buffer, operation: string): Buffer {
  const element = (name: string, value: unknown): Buffer =>
    Buffer.concat([
      Buffer.from('<'),
      bytesOf(name),
      Buffer.from('>'),
      content(value),
      Buffer.from('</'),
      bytesOf(name),
      Buffer.from('>'),
    ]);
  const content = (value: unknown): Buffer => {
    if (Array.isArray(value)) return Buffer.concat(value.map((item) => element('item', item)));
    return bytesOf(String(value));
  };
  const fields = fieldsOf(json);
  const inside =
    fields === undefined
      ? Buffer.from('<a>'.repeat(levels))
      : Buffer.concat(Object.entries(fields).map(([name, value]) => element(name, value)));
  return Buffer.concat([
    Buffer.from(`<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${operation}>`),
    inside,
    Buffer.from(`</${operation}></s:Body></s:Envelope>`),
  ]);
}

/** A message of Protobuf: `text` is field 1, what is inside of it field 2, a map of other fields field 3. */
export function protobufForm(json: Buffer): Buffer {
  const field = (number: number, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);
  const nested = (depth: number): Buffer => {
    let message: Buffer = Buffer.alloc(0);
    for (let level = 0; level < depth; level++) message = field(2, message);
    return message;
  };
  const fields = fieldsOf(json);
  if (fields === undefined) return nested(levels);
  return Buffer.concat(
    Object.entries(fields).map(([name, value]) => {
      if (Array.isArray(value)) return nested(depthOf(value));
      const text = bytesOf(String(value));
      return name === 'text' ? field(1, text) : field(3, Buffer.concat([field(1, bytesOf(name)), field(2, text)]));
    }),
  );
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

function depthOf(value: unknown): number {
  return Array.isArray(value) ? 1 + Math.max(0, ...value.map(depthOf)) : 0;
}
