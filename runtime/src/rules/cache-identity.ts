import { type CelSource, originOf } from '@svc/protocol/schema';
import { sourcesIn } from '../flow/sources-in.ts';
import type { FlowRule } from './every-flow.ts';
import type { FlowDeclaration } from './flow-places.ts';

/**
 * Answers for signed-in callers under a key that does not say who they are for: one caller may read what another was
 * told (S-89). Without a key, the caller is part of it.
 */
export const checkCacheIdentity: FlowRule = (flow, connectors, report) => {
  const { cache, from, require } = flow.values;
  if (!cache || (cache.key === undefined && cache.key_from === undefined)) return;
  if ([...sourcesIn(cache.key?.parts), ...sourcesIn(cache.key_from)].some(readsAuth)) return;
  const values = connectors.get(from?.connector ?? '')?.values;
  const guarded = require !== undefined || (values !== undefined && 'auth' in values && values.auth !== undefined);
  if (!guarded && !usesIdentity(flow)) return;
  report(
    'shared-cache-key',
    `flow "${flow.name}" answers signed-in callers, and its cache key does not tell them apart`,
    originOf(cache, cache.key === undefined ? 'key_from' : 'key'),
    {
      severity: 'warning',
      help: 'Add ${auth.user_id} to the key, unless every caller may read the answer of every other.',
    },
  );
};

function usesIdentity({ values }: FlowDeclaration): boolean {
  return sourcesIn(values).some(readsAuth);
}

function readsAuth({ source }: CelSource): boolean {
  return /(?<![\w.])auth\b/.test(source.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""'));
}
