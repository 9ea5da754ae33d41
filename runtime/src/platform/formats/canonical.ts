import { createHash } from 'node:crypto';
import { type CelDuration, type CelOptional, CelTimestamp, type CelTypeValue, kindOf } from '@svc/protocol/cel';
import { Content } from '../../foundation/contracts/content.ts';

/** Whether lists with the same elements in another order are the same. */
export type ListOrder = 'ordered' | 'unordered';

/**
 * SHA-256 of a value, in hexadecimal digits: equal for equal values, whatever the order in which their maps were built.
 * Numbers are equal by value (`3` and `3.0`); null, an absent member and an empty text are three different values.
 */
export function canonicalDigest(value: unknown, lists: ListOrder): string {
  return createHash('sha256').update(encode(value, lists), 'latin1').digest('hex');
}

/**
 * Each value as its kind, the length of what follows, and its content, so that no two values have one encoding. The
 * text holds one byte in each character, which makes comparing texts comparing bytes.
 */
function encode(value: unknown, lists: ListOrder): string {
  switch (kindOf(value)) {
    case 'null_type':
      return value === undefined ? tagged('absent', '') : tagged('null', '');
    case 'bool':
      return tagged('bool', String(value));
    case 'int':
    case 'uint':
      return tagged('integer', String(value));
    case 'double':
      return numberOf(value as number);
    case 'string':
      return textOf(value as string);
    case 'bytes':
      return tagged('bytes', Buffer.from(value as Uint8Array).toString('latin1'));
    case 'timestamp':
      return tagged('timestamp', momentOf(value as CelTimestamp | Date));
    case 'duration':
      return tagged('duration', String((value as CelDuration).nanoseconds));
    case 'list':
      return listOf(value as readonly unknown[], lists);
    case 'map':
      return mapOf(value instanceof Content ? value.toJSON() : (value as object), lists);
    case 'optional': {
      const { present, value: inner } = value as CelOptional;
      return tagged('optional', present ? encode(inner, lists) : '');
    }
    case 'type':
      return tagged('type', bytesOf((value as CelTypeValue).name));
    case 'unknown':
      return tagged('unknown', typeof value);
  }
}

function tagged(kind: string, content: string): string {
  return `${kind}${content.length}:${content}`;
}

function numberOf(value: number): string {
  return Number.isInteger(value) ? tagged('integer', String(BigInt(value))) : tagged('double', String(value));
}

/** Half of a surrogate pair has no bytes of its own in UTF-8, so a text with one is written with escapes. */
function textOf(text: string): string {
  return text.isWellFormed() ? tagged('text', bytesOf(text)) : tagged('broken', bytesOf(JSON.stringify(text)));
}

function momentOf(moment: CelTimestamp | Date): string {
  if (moment instanceof CelTimestamp) return String(moment.nanoseconds);
  return Number.isNaN(moment.getTime()) ? '' : String(BigInt(moment.getTime()) * 1_000_000n);
}

function listOf(list: readonly unknown[], lists: ListOrder): string {
  const elements = list.map((element) => encode(element, lists));
  return tagged('list', (lists === 'unordered' ? elements.sort() : elements).join(''));
}

/** A member whose value is undefined is absent. */
function mapOf(map: object, lists: ListOrder): string {
  const entries = [...(map instanceof Map ? map : Object.entries(map))]
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => encode(key, lists) + encode(value, lists));
  return tagged('map', entries.sort().join(''));
}

const ascii = /^[\x00-\x7f]*$/;

function bytesOf(text: string): string {
  return ascii.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}
