import type { ConnectorValues } from '@svc/protocol/schema';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Naming } from '../naming.ts';

/** Bytes of a key (Amazon S3, "Object key names"). */
const longest = 1024;

/** What every key of a connector begins with: empty, or with `/` at its end. */
export function rootOf(prefix: string | undefined): string {
  return prefix === undefined ? '' : `${prefix.replace(/\/$/, '')}/`;
}

/** Why a key behind a root names no object there, or undefined. Pure. */
export function keyProblem(key: string, root: string): string | undefined {
  if (!key.isWellFormed()) return 'has a character in it that is not text (a lone surrogate)';
  if (new TextEncoder().encode(root + key).length > longest)
    return `is longer than ${longest} bytes${root === '' ? '' : ' with the prefix of its connector'}`;
  // A server or a proxy that resolves it would reach what is beside the prefix.
  return root !== '' && key.split('/').includes('..') ? 'has a part .. that could lead out of the prefix' : undefined;
}

/** The key as it is, refused where it names no object behind a root. The failure has no key, which comes from a caller. */
export function checkedKey(key: string, root: string, field: string): string {
  const problem = keyProblem(key, root);
  if (problem === undefined) return key;
  const message = `the key in "${field}" ${problem}`;
  throw new Failure('value_refused', message, { fields: [{ field, code: 'key', message }] });
}

/** Keys are texts: `a//b`, `/a`, `a/` and `./a` name objects of their own. */
export const keyNaming: Naming = {
  named: 'key',
  isFlat: true,
  problem: (written, config?: ConnectorValues) => keyProblem(written, rootOf(config?.['prefix'] as string | undefined)),
  placeOf: (written, field) => checkedKey(written, '', field),
  isFolder: (written) => written === '',
  within: (folder) => (folder === '' || folder.endsWith('/') ? folder : `${folder}/`),
  emptySays: 'the key is empty',
  ignoredInPatterns: undefined,
};
