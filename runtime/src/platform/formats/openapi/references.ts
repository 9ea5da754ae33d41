import { childrenOf, type Documents, type Located, member } from './documents.ts';

/** Words whose members have names that are chosen, so that none of them is a word of the language. */
const named: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'definitions',
  '$defs',
  'schemas',
  'responses',
  'parameters',
  'requestBodies',
  'headers',
  'pathItems',
  'callbacks',
  'links',
  'webhooks',
]);

/** Words that hold data, in which nothing is a reference. */
const data: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Resolves every reference of a description, and of what its references name, so that those that lead to nothing are noted. */
export function resolveReferences(documents: Documents): void {
  const seen = new Set<unknown>();
  const waiting: { readonly at: Located; readonly isNamed: boolean }[] = [{ at: documents.root, isNamed: false }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at, isNamed } = next;
    if (seen.has(at.value)) continue;
    if (typeof at.value === 'object') seen.add(at.value);
    if (!isNamed && member(at.value, '$ref') !== undefined) {
      const found = documents.resolve(at);
      if (found !== undefined) waiting.push({ at: found, isNamed: false });
    }
    for (const [word, inner] of childrenOf(at))
      if (isNamed || !(data.has(word) || word.startsWith('x-')))
        waiting.push({ at: inner, isNamed: !isNamed && named.has(word) });
  }
}
