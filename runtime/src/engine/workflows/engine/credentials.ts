import { Fields } from '@svc/protocol/cel';
import { namesCredential } from '../../../foundation/observe/mask.ts';

type Input = Readonly<Record<string, unknown>>;

/** The input of an instance as it may be stored in a table: without the request headers that hold credentials. */
export function withoutCredentials(input: Input): Input {
  const headers = input['headers'];
  if (headers === null || typeof headers !== 'object' || Array.isArray(headers)) return input;
  const kept = Object.entries(headers).filter(([name]) => !namesCredential(name));
  return Object.assign(new Fields(), input, { headers: Object.assign(new Fields(), Object.fromEntries(kept)) });
}
