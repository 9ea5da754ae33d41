import { actions } from '../actions.ts';
import type { StoreSpec } from '../parameters.ts';
import { keyNaming } from './key.ts';

/** How the object of a write is stored, by the parameter that says it; also attributes of the connector. */
export const storageHeaders = {
  storage_class: 'x-amz-storage-class',
  acl: 'x-amz-acl',
  server_side_encryption: 'x-amz-server-side-encryption',
  kms_key_id: 'x-amz-server-side-encryption-aws-kms-key-id',
} as const;
export type StorageWord = keyof typeof storageHeaders;

/** Headers that the object has when it is read. */
export const documentHeaders = {
  content_type: 'content-type',
  cache_control: 'cache-control',
  content_disposition: 'content-disposition',
} as const;

/** Under which condition an object is written. */
export const conditionHeaders = { if_match: 'if-match', if_none_match: 'if-none-match' } as const;
export type ConditionWord = keyof typeof conditionHeaders;

/** Links are valid for seven days at most (Signature Version 4). */
const longestLink = 604_800;

const document: Readonly<Record<string, string>> = {
  metadata: 'A map of texts that are kept with the object.',
  cache_control: 'Header `Cache-Control` of the object.',
  content_disposition: 'Header `Content-Disposition` of the object.',
};

const storage: Readonly<Record<string, string>> = {
  storage_class: 'Storage class, such as `STANDARD_IA`.',
  acl: 'Canned access control list, such as `private`.',
  server_side_encryption: '`AES256` or `aws:kms`.',
  kms_key_id: 'Key of `aws:kms`.',
};

/** Conditions of what an object takes the place of. */
const conditions: Readonly<Record<ConditionWord, string>> = {
  if_match: 'ETag that the object must have; another one is left as it is.',
  if_none_match: '`*`: the object must not exist; one that is there is left as it is.',
};

const atDestination: Readonly<Record<ConditionWord, string>> = {
  if_match: 'ETag that the object at the destination must have; another one is left as it is.',
  if_none_match: '`*`: there must be no object at the destination; one that is there is left as it is.',
};

/** What an object store has. */
export const objectStore: StoreSpec = {
  actions: actions.filter((action) => action !== 'append' && action !== 'mkdir'),
  naming: keyNaming,
  parameters: {
    write: {
      content_type: 'Media type of the object; otherwise the format decides.',
      ...document,
      ...storage,
      ...conditions,
    },
    delete: { if_match: conditions.if_match },
    copy: {
      content_type: 'Media type of the copy; that of the source when absent.',
      ...document,
      ...storage,
      ...atDestination,
    },
    move: atDestination,
    presign_get: { filename: 'Name under which a browser saves the object.' },
    presign_put: {
      content_type: 'The only media type that is taken.',
      content_length: 'The only size that is taken, in bytes.',
    },
  },
  checkParameter,
};

/** Why a constant value of a parameter is refused. */
function checkParameter(name: string, value: unknown): string | undefined {
  if (name === 'metadata') return metadataProblem(value);
  if (name === 'content_length') return isLength(value) ? undefined : lengthSays;
  if (name === 'expires' || name === 'expires_in') return undefined;
  if (Object.hasOwn(conditionHeaders, name)) return conditionProblem(name as ConditionWord, value);
  if (Object.hasOwn(storageHeaders, name) || Object.hasOwn(documentHeaders, name)) return headerValueProblem(value);
  return undefined;
}

export const lengthSays = 'must be a whole number of bytes';
export const longestLinkSays = `must be at most 7 days`;

export function isTooLong(lifetime: number): boolean {
  return lifetime > longestLink * 1000;
}

export function isLength(value: unknown): value is number | bigint {
  return (typeof value === 'number' || typeof value === 'bigint') && /^\d{1,15}$/.test(String(value));
}

/** Why a value cannot be a condition. */
export function conditionProblem(name: ConditionWord, value: unknown): string | undefined {
  if (name === 'if_none_match') return value === '*' ? undefined : 'must be "*": the object must not exist';
  return typeof value === 'string' && /^(?:"[\x21\x23-\x7e]+"|[\x21\x23-\x29\x2b-\x7e][\x21\x23-\x7e]*)$/.test(value)
    ? undefined
    : 'must be the ETag of an object';
}

/** Why a value cannot be sent as a header: those of objects are US-ASCII. */
export function headerValueProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return 'must be a text that is not empty';
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? undefined
    : 'must be of US-ASCII, without blanks around it';
}

const metadataName = /^[a-z0-9][a-z0-9._-]{0,127}$/i;
/** What AWS takes: names and values together. */
const mostMetadata = 2048;

/** Why metadata cannot be kept. */
export function metadataProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a map of texts';
  const names = new Set<string>();
  let size = 0;
  for (const [name, given] of Object.entries(value)) {
    if (!metadataName.test(name)) return 'has a name that is not of letters, digits, ., - and _';
    if (names.has(name.toLowerCase())) return `has "${name.toLowerCase()}" twice: case does not count`;
    names.add(name.toLowerCase());
    const text = metadataText(given);
    const problem = headerValueProblem(text);
    if (problem !== undefined) return `has a value of "${name}" that ${problem}`;
    size += name.length + (text as string).length;
  }
  return size > mostMetadata ? `is larger than ${mostMetadata} bytes` : undefined;
}

/** The text of a value of metadata; undefined for one without. */
export function metadataText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
