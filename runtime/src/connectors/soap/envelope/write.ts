import { isLarge } from '../../../platform/formats/turns.ts';
import { encodeXml, xmlFrame, xmlPieces } from '../../../platform/formats/xml/encode.ts';
import { type SoapVersion, versions } from './version.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What goes into an envelope. */
export interface WrittenEnvelope {
  readonly version: SoapVersion;
  /** Blocks of the header, by names with prefixes that they declare themselves. */
  readonly headers?: Fields | undefined;
  /** The element in the body by its name. */
  readonly body: Fields;
}

const root = 'soap:Envelope';

/** Writes an envelope: fields in their order, lists as repeated elements, null as empty elements. */
export function envelopeText(written: WrittenEnvelope): string {
  return encodeXml(envelopeOf(written), root);
}

function envelopeOf({ version, headers, body }: WrittenEnvelope): Fields {
  return {
    '@xmlns:soap': versions[version].namespace,
    ...(headers !== undefined && { 'soap:Header': headers }),
    'soap:Body': body,
  };
}

/**
 * The element of an operation: its children have no namespace, as those of document/literal with local elements, or where
 * they are `isQualified` the same one.
 */
export function operationElement(
  namespace: string | undefined,
  name: string,
  content: unknown,
  isQualified = false,
): Fields {
  const fields = fieldsOf(content);
  if (namespace === undefined) return { [name]: fields };
  if (isQualified) return { [name]: { '@xmlns': namespace, ...fields } };
  return { [`ns:${name}`]: { '@xmlns:ns': namespace, ...fields } };
}

/** Writes the envelopes of one operation, whose tags are written once. */
export class OperationEnvelope {
  readonly #inside: (content: unknown) => WrittenEnvelope;
  readonly #frame: (fields: Fields) => string | undefined;

  constructor(version: SoapVersion, namespace: string | undefined, name: string, isQualified: boolean) {
    this.#inside = (content) => ({ version, body: operationElement(namespace, name, content, isQualified) });
    this.#frame = xmlFrame(envelopeOf(this.#inside(undefined)), root);
  }

  text(content: unknown): string {
    return this.#frame(fieldsOf(content)) ?? envelopeText(this.#inside(content));
  }

  /** The same piece by piece for what takes long; undefined for what does not. */
  pieces(content: unknown): AsyncIterable<Uint8Array> | undefined {
    return isLarge(content) ? xmlPieces(envelopeOf(this.#inside(content)), root) : undefined;
  }
}

/** A list is in `items`, a scalar in `result`, null is nothing. */
export function fieldsOf(value: unknown): Fields {
  if (value === null || value === undefined) return {};
  if (Array.isArray(value)) return { items: value };
  if (typeof value === 'object' && !(value instanceof Date) && !(value instanceof Uint8Array)) return value as Fields;
  return { result: value };
}
