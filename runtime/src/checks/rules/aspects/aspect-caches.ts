import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import { type AspectDeclaration, matches } from '../../../engine/flow/aspects/selection.ts';
import { aspect } from '../../../engine/flow/aspects/spec.ts';
import { type FlowDeclaration, flowsOf, sagaOf } from '../../../engine/flow/declarations.ts';
import { verbOfDestination } from '../../../engine/flow/flow-verb.ts';
import { hasWholeWork } from '../../../engine/flow/pipeline/stages.ts';
import { sourcesIn } from '../../../engine/flow/sources-in.ts';
import { checkLiteral } from '../../../engine/flow/stages/cache/rules.ts';
import { verbOfSource } from '../../../engine/flow/verb.ts';
import { answersCallers, callerHelp, readsAuth, readsVariable } from '../flows/cache-identity.ts';

/** Caches around flows answer no caller with what belongs to another flow or caller, and skip no write. */
export const checkAspectCaches: ProjectRule = (project, report) => {
  const { connectors } = project;
  const writes = (flow: FlowDeclaration): boolean => {
    const { from, to } = flow.values;
    if (sagaOf(flow) !== undefined || hasWholeWork(flow.values)) return true;
    const source = connectors.get(from?.connector ?? '');
    const operation = (source && resolveOperation(source, from?.operation)?.operation) ?? from?.operation;
    const asked = verbOfSource(source?.spec?.source, operation);
    return to.length > 0 && verbOfDestination(to[0], asked, connectors) !== 'read';
  };
  const check = (each: AspectDeclaration): void => {
    const { cache, invalidate } = each.values;
    for (const key of [...(invalidate?.keys ?? []), ...(invalidate?.patterns ?? [])]) checkLiteral(key, report);
    // What was refused is absent, though required.
    const key: NonNullable<typeof cache>['key'] | undefined = cache?.key;
    if (cache === undefined || key === undefined) return;
    checkLiteral(key, report);
    const matching = flowsOf(project).filter(({ name }) => matches(each, name));
    const parts = sourcesIn(key.parts);
    const at = originOf(cache, 'key');
    const warn = (code: string, message: string, help: string) =>
      report(code, message, at, { severity: 'warning', help });
    if (
      matching.length > 1 &&
      !parts.some((part) => readsVariable(part, '_flow') || part.source.includes('input._flow'))
    )
      warn(
        'shared-cache-key',
        `aspect "${each.name}" surrounds ${matching.length} flows, and its cache key does not distinguish them`,
        'Add ${_flow} to the key, unless each of these flows may answer for every other.',
      );
    const caller = matching.find((flow) => answersCallers(flow, connectors));
    if (caller !== undefined && cache.scope !== 'shared' && !parts.some(readsAuth))
      warn(
        'shared-cache-key',
        `flow "${caller.name}" answers signed-in callers, and the cache key of aspect "${each.name}" does not distinguish them`,
        callerHelp,
      );
    const writing = matching.find(writes);
    if (writing !== undefined)
      report(
        'cached-write',
        `aspect "${each.name}" caches flow "${writing.name}", which writes: a hit writes nothing`,
        originOf(each.values, 'on'),
        { severity: 'warning', help: 'Choose patterns in on that match flows that read.' },
      );
  };
  for (const each of project.all('aspect', aspect)) check(each);
};
