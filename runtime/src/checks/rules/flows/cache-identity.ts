import type { Project } from '@svc/protocol/model';
import { type CelSource, originOf } from '@svc/protocol/schema';
import type { FlowDeclaration } from '../../../engine/flow/declarations.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { sourcesIn } from '../../../engine/flow/sources-in.ts';

/**
 * Answers for signed-in callers under a key that does not say who they are for: one caller may read the answer
 * to another. Without a key, the caller is part of it; `scope = "shared"` says that it is meant.
 */
export const checkCacheIdentity: FlowRule = (flow, connectors, report) => {
  const { cache } = flow.values;
  if (!cache || cache.scope === 'shared' || (cache.key === undefined && cache.key_from === undefined)) return;
  if ([...sourcesIn(cache.key?.parts), ...sourcesIn(cache.key_from)].some(readsAuth)) return;
  if (!answersCallers(flow, connectors)) return;
  report(
    'shared-cache-key',
    `flow "${flow.name}" answers signed-in callers, and its cache key does not distinguish them`,
    originOf(cache, cache.key === undefined ? 'key_from' : 'key'),
    {
      severity: 'warning',
      help: callerHelp,
    },
  );
};

export const callerHelp =
  'Add ${auth.user_id} to the key, or write scope = "shared" where every caller may read the answer of every other.';

/** Whether what a flow answers may depend on who is signed in. */
export function answersCallers(flow: FlowDeclaration, connectors: Project['connectors']): boolean {
  const { from, require } = flow.values;
  const values = connectors.get(from?.connector ?? '')?.values;
  const guarded = require !== undefined || (values !== undefined && 'auth' in values && values.auth !== undefined);
  return guarded || sourcesIn(flow.values).some(readsAuth);
}

export function readsAuth(source: CelSource): boolean {
  return readsVariable(source, 'auth');
}

/** Whether an expression names a variable, outside texts and not as a field of something else. */
export function readsVariable({ source }: CelSource, name: string): boolean {
  const code = source.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  return new RegExp(`(?<![\\w.])${name}\\b`).test(code);
}
