import type { CallRequest } from '../../foundation/contracts/target.ts';
import { Failure, type FieldProblem } from '../../foundation/errors/failure.ts';
import { type OAuthOperation, readBy } from './operations.ts';

export type Given = Readonly<Record<string, unknown>>;

/** The parameters of a call: those of `params` first, then what a destination is given. */
export function givenIn(operation: OAuthOperation, { params, payload, filters, address }: CallRequest): Given {
  const written = Array.isArray(params) ? undefined : (params as Given | undefined);
  const given: Record<string, unknown> = {};
  for (const name of readBy(operation)) {
    const place = [written, payload, filters, address].find((each) => each !== undefined && Object.hasOwn(each, name));
    if (place !== undefined && !(isOfBrowser(name) && isEmpty(place[name]))) given[name] = place[name];
  }
  return given;
}

/** What a browser brings only at times: a flow may give the empty text for what is not there. */
function isOfBrowser(name: string): boolean {
  return ['iss', 'user', 'error', 'error_description'].includes(name);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** A text that must be given. Its value is never repeated. */
export function textOf(given: Given, name: string): string {
  const value = given[name];
  if (typeof value === 'string' && value !== '') return value;
  throw refused(name, isEmpty(value) ? 'is required' : 'must be one text');
}

/** A text or number that may be given; one that is there and empty is refused, since it would say nothing. */
export function optionalText(given: Given, name: string): string | undefined {
  if (!Object.hasOwn(given, name)) return undefined;
  const value = given[name];
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string' && value !== '') return value;
  throw refused(name, 'must be a text or number that is not empty');
}

function refused(field: string, message: string): Failure {
  const fields: readonly FieldProblem[] = [
    { field, code: message === 'is required' ? 'required' : 'type_mismatch', message },
  ];
  return new Failure('parameters_invalid', `the parameter "${field}" ${message}`, { fields });
}
