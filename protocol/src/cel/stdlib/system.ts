import { textOf } from './arguments.ts';
import type { Builtin, FunctionDefinition } from './definition.ts';

/** The product's functions that ask the host. */
export const system: readonly FunctionDefinition[] = [
  {
    name: 'uuid',
    group: 'system',
    dialect: 'product',
    pure: false,
    signatures: ['uuid() -> string'],
    doc: 'A new random UUID (version 4) in lower case.',
    example: 'size(uuid()) == 36',
    bind:
      ({ environment }): Builtin =>
      () =>
        environment.uuid(),
  },
  {
    name: 'env',
    group: 'system',
    dialect: 'product',
    pure: false,
    signatures: ['env(name: string, fallback?: string) -> string'],
    doc: 'An environment variable; the fallback, or an empty text, when it is unset or empty.',
    example: "env('SVC_NOT_SET', 'none') == 'none'",
    bind:
      ({ environment }): Builtin =>
      (name, fallback = '') =>
        environment.env(textOf(name)) || textOf(fallback),
  },
  {
    name: 'hash_sha256',
    group: 'system',
    dialect: 'product',
    signatures: ['hash_sha256(text: string) -> string'],
    doc: 'The SHA-256 of the text in UTF-8, in lower-case hexadecimal digits.',
    example: "hash_sha256('abc').startsWith('ba7816bf')",
    bind:
      ({ environment }): Builtin =>
      (text) =>
        environment.sha256(textOf(text)),
  },
];
