import type { FaultCode, Subcode } from './fault-failure.ts';
import type { Envelope } from './reader.ts';
import { type SoapVersion, versions } from './version.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A fault to write. */
export interface WrittenFault {
  readonly code: FaultCode;
  readonly subcode?: Subcode | undefined;
  readonly text: string;
  /** Elements with prefixes that they declare themselves. */
  readonly detail?: Fields | undefined;
}

const codes12: Readonly<Record<FaultCode, string>> = {
  Client: 'Sender',
  Server: 'Receiver',
  VersionMismatch: 'VersionMismatch',
  MustUnderstand: 'MustUnderstand',
};

/** The element of a fault (SOAP 1.1, 4.4; SOAP 1.2 part 1, 5.4). */
export function faultElement(version: SoapVersion, { code, subcode, text, detail }: WrittenFault): Fields {
  const more = subcode && { [`@xmlns:${subcode.prefix}`]: subcode.namespace };
  const named = subcode && `${subcode.prefix}:${subcode.local}`;
  if (version === '1.1')
    return {
      'soap:Fault': {
        ...more,
        faultcode: named ?? `soap:${code}`,
        faultstring: text,
        ...(detail !== undefined && { detail }),
      },
    };
  return {
    'soap:Fault': {
      ...more,
      'soap:Code': {
        'soap:Value': `soap:${codes12[code]}`,
        ...(named !== undefined && { 'soap:Subcode': { 'soap:Value': named } }),
      },
      'soap:Reason': { 'soap:Text': { '@xml:lang': 'en', '#text': text } },
      ...(detail !== undefined && { 'soap:Detail': detail }),
    },
  };
}

/** A fault that came. */
export interface ReadFault {
  /** As it is written, with its prefix: `soap:Client`. */
  readonly code: string;
  readonly text: string;
  /** A text, or fields by local name; undefined without one. */
  readonly detail: unknown;
}

/** The fault in an envelope; undefined where there is no fault. */
export function faultOf({ version, operation, content }: Envelope): ReadFault | undefined {
  if (operation?.local !== 'Fault' || operation.namespace !== versions[version].namespace) return undefined;
  const fields = mapOf(content);
  if (version === '1.1')
    return { code: plainText(fields['faultcode']), text: plainText(fields['faultstring']), detail: fields['detail'] };
  const texts = mapOf(fields['Reason'])['Text'];
  return {
    code: plainText(mapOf(fields['Code'])['Value']),
    text: plainText(Array.isArray(texts) ? texts[0] : texts),
    detail: fields['Detail'],
  };
}

function mapOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = mapOf(value)['#text'];
  return typeof text === 'string' ? text : '';
}
