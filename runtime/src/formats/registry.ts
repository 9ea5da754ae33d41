import { Failure } from '../errors/failure.ts';

/** Turns values into the bytes of one media type and back. */
export interface Codec {
  readonly mediaType: string;
  encode(value: unknown): string | Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

const json: Codec = {
  mediaType: 'application/json',
  encode: (value) => JSON.stringify(value),
  decode: (bytes) => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)),
};

/** The codec that a `format` names. */
export async function codec(name: string): Promise<Codec> {
  if (name === 'json') return json;
  throw new Failure('internal', `there is no format "${name}"`);
}
