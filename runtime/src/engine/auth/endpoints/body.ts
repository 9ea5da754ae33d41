import type { HttpExchange } from '../../../foundation/contracts/http.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { decodeBody } from '../../../platform/formats/decode.ts';
import { codecOf } from '../../../platform/formats/registry.ts';
import { readBody } from '../../../platform/http/body/body.ts';
import { parseMediaType } from '../../../platform/http/body/media-type.ts';
import { Refusal } from '../refusal.ts';
import type { BodyMember, BodySpec } from './bodies.ts';

/** Bytes of a body. */
const maxBody = 65_536;
/** Characters of a text; a password is bounded by its policy. */
const maxText = 8_192;

/** The members of a JSON object; those that its specification does not name are ignored, and cannot be read. */
export class EndpointBody {
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #spec: BodySpec;

  constructor(members: Readonly<Record<string, unknown>>, spec: BodySpec) {
    this.#members = members;
    this.#spec = spec;
  }

  /** A text that must be there. Throws a Refusal that names it. */
  text(name: string): string {
    const value = this.#text(name, true);
    if (value === undefined || value === '') throw invalid(`\`${name}\` is required.`);
    return value;
  }

  optionalText(name: string): string | undefined {
    return this.#text(name, false);
  }

  optionalObject(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#member(name, 'object', false);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) throw invalid(`\`${name}\` must be an object.`);
    return value as Readonly<Record<string, unknown>>;
  }

  #text(name: string, required: boolean): string | undefined {
    const value = this.#member(name, 'string', required);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw invalid(`\`${name}\` must be a text.`);
    if (value.length > maxText) throw invalid(`\`${name}\` is too long.`);
    if (!value.isWellFormed() || value.includes('\0')) throw invalid(`\`${name}\` is not valid text.`);
    return value;
  }

  /** What is read is what is documented, else it is a defect of the endpoint. */
  #member(name: string, type: BodyMember['type'], required: boolean): unknown {
    const spec = Object.hasOwn(this.#spec, name) ? this.#spec[name] : undefined;
    if (spec?.type !== type || spec.required !== required)
      throw new Error(`the endpoint reads \`${name}\` otherwise than endpoints/bodies.ts says`);
    return Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
  }
}

export function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid_request', message);
}

/** Reads the JSON object that a request carries. Rejects with a Refusal, or with the Failure of a body that is too large. */
export async function bodyOf(exchange: HttpExchange, spec: BodySpec): Promise<EndpointBody> {
  const type = typeOf(exchange) ?? 'application/json';
  if (!/^application\/(.+\+)?json$/.test(type))
    throw new Refusal(415, 'unsupported_media_type', 'The body must be JSON.');
  const value = await decoded(exchange, 'json');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('The body must be a JSON object.');
  return new EndpointBody(value as Readonly<Record<string, unknown>>, spec);
}

/** Reads the form that a request carries; a field that came twice is a list. Rejects as `bodyOf` does. */
export async function formOf(exchange: HttpExchange): Promise<Readonly<Record<string, unknown>>> {
  if (typeOf(exchange) !== 'application/x-www-form-urlencoded')
    throw new Refusal(415, 'unsupported_media_type', 'The body must be a form.');
  return (await decoded(exchange, 'form')) as Readonly<Record<string, unknown>>;
}

/** The media type that is written, without its parameters; empty for one that is malformed, undefined without one. */
function typeOf({ request }: HttpExchange): string | undefined {
  const written = request.headers['content-type'];
  return written === undefined ? undefined : (parseMediaType(written)?.type ?? '');
}

async function decoded(exchange: HttpExchange, format: 'json' | 'form'): Promise<unknown> {
  const bytes = await new Promise<Buffer>((resolve, reject) =>
    readBody(exchange, maxBody, (read) => (read instanceof Failure ? reject(read) : resolve(read))),
  );
  try {
    return await decodeBody(await codecOf(format), bytes);
  } catch (cause) {
    if (cause instanceof Failure && cause.code !== 'body_undecodable') throw cause;
    throw invalid(format === 'json' ? 'The body is not valid JSON.' : 'The body is not a valid form.');
  }
}
