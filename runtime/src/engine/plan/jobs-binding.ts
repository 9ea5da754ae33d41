import type { Project } from '@svc/protocol/model';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { Binding } from '../../foundation/contracts/source.ts';
import { parseOperation } from '../../platform/http/routes/route-rules.ts';
import { flowsOf } from '../flow/declarations.ts';
import { type JobPlace, jobReader } from '../flow/stages/async/reader.ts';

/** Where REST servers with an async flow report what became of jobs. */
export const jobsOperation = 'GET /jobs/:job_id';

/**
 * What answers for the jobs of one connector: undefined where it has no jobs, where it is not a REST server, and where a flow
 * claims the path. The connector protects it as every route.
 */
export function jobsBinding(
  connector: string,
  bindings: readonly Binding[],
  project: Project,
  connectors: ReadonlyMap<string, Connector>,
): Binding | undefined {
  if (project.connectors.get(connector)?.spec?.source?.routes !== true) return undefined;
  const places = new Map<string, JobPlace>();
  for (const { name, values } of flowsOf(project)) {
    const storage = connectors.get(values.async?.storage ?? '')?.storage;
    if (values.async === undefined || storage === undefined || values.from?.connector !== connector) continue;
    places.set(name, { storage, ttl: values.async.ttl });
  }
  if (places.size === 0 || bindings.some(({ operation }) => claimsJobs(operation))) return undefined;
  return { flow: '', operation: jobsOperation, words: { format: 'json' }, deliver: jobReader(places) };
}

/** Whether an operation is that of the jobs, whatever it calls the parameter. */
export function claimsJobs(operation: string | undefined): boolean {
  const parsed = parseOperation(operation ?? '');
  if (typeof parsed === 'string' || parsed.method !== 'GET') return false;
  const [first, second, ...more] = parsed.segments;
  if (first === undefined || second === undefined || more.length > 0) return false;
  return 'literal' in first && first.literal === 'jobs' && 'parameter' in second;
}
