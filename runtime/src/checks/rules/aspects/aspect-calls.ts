import type { Project, ProjectRule, Report } from '@svc/protocol/model';
import { isWritten, originOf, writtenIn } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { specsOf, titleOf } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import { resolveAction } from '../../../engine/flow/aspects/action-target.ts';
import { type AspectDeclaration, matches } from '../../../engine/flow/aspects/selection.ts';
import { aspect } from '../../../engine/flow/aspects/spec.ts';
import { flowNames } from './aspects.ts';

/** Actions of aspects go somewhere that takes them, and do not come back. */
export const checkAspectCalls: ProjectRule = (project, report) => {
  const aspects = project.all('aspect', aspect);
  if (aspects.length === 0) return;
  const names = flowNames(project);
  for (const each of aspects) {
    checkConnector(each, project.connectors, report);
    checkFlow(each, names, report);
  }
  checkCircles(aspects, names, report);
};

function checkConnector({ name, values }: AspectDeclaration, connectors: Project['connectors'], report: Report): void {
  const { action } = values;
  const connector = connectors.get(action?.connector ?? '');
  if (action === undefined || action.flow !== undefined || connector === undefined) return;
  const specs = specsOf(connector);
  const targets = specs.flatMap(({ target }) => target ?? []);
  if (specs.length === 0) return;
  if (targets.length < specs.length || !targets.every(({ abilities }) => abilities.includes('write'))) {
    report('not-a-target', `${titleOf(connector)} cannot be written by an aspect`, originOf(action, 'connector'), {
      help: 'Name a connector that messages go to.',
    });
    return;
  }
  const named = [connector, ...connector.profiles.values()].some(({ operations }) => operations.has(action.operation));
  const resolved = resolveAction(action, { operation: (word) => resolveOperation(connector, word) });
  const { verb, operation, target, query } = resolved;
  const at = originOf(action, isWritten(action, 'operation') ? 'operation' : undefined);
  if (verb === 'read') {
    report('unknown-operation', `an action writes, and ${action.operation} reads`, at, {
      help: 'Write INSERT, UPSERT, UPDATE or DELETE.',
    });
    return;
  }
  // An empty one counts as absent, which is reported as such.
  if (named || action.operation === '') return;
  for (const { checkOperation, checkTarget, needsOneOf } of targets) {
    const problem = checkOperation?.(operation ?? '');
    if (problem !== undefined) return report('unknown-operation', problem, at, { help: whereIn(name) });
    const misplaced = target === undefined ? undefined : checkTarget?.(target);
    if (misplaced !== undefined)
      return report('malformed-target', misplaced, originOf(action, 'target'), { help: whereIn(name) });
    const hasPlace =
      target !== undefined ||
      query !== undefined ||
      (needsOneOf.includes('operation') && isWritten(action, 'operation'));
    if (needsOneOf.length > 0 && !hasPlace)
      return report('missing-target', `the action of aspect "${name}" does not say where to write`, originOf(action), {
        help: 'Write target = "audit".',
      });
  }
}

function whereIn(name: string): string {
  return `It is written in the action of aspect "${name}".`;
}

function checkFlow({ values }: AspectDeclaration, names: readonly string[], report: Report): void {
  const { action } = values;
  if (action?.flow === undefined) return;
  const at = originOf(action, 'flow');
  if (!names.includes(action.flow)) {
    const near = closest(action.flow, names);
    const all = names.length > 0 ? `These exist: ${names.join(', ')}.` : 'There is no flow at all yet.';
    report('unknown-flow', `there is no flow named "${action.flow}"`, at, {
      help: near ? `Did you mean "${near}"? ${all}` : all,
      ...(near ? { fix: { title: `Change to "${near}"`, edits: [{ range: at.range, text: `"${near}"` }] } } : {}),
    });
  }
  for (const word of writtenIn(action))
    if (!['flow', 'connector', 'transform'].includes(word))
      report(
        'inert-attribute',
        `${word} has no effect: it is for connectors, and a flow defines itself what it does`,
        originOf(action, word),
        {
          severity: 'warning',
          help: 'Remove it.',
        },
      );
}

/** Chains of calls that come back are refused when they happen, for every message; where they can be seen, now. */
function checkCircles(aspects: readonly AspectDeclaration[], names: readonly string[], report: Report): void {
  const callers = aspects.filter(({ values }) => values.action?.flow !== undefined);
  const called = new Map(
    names.map((flow) => [
      flow,
      callers.filter((each) => matches(each, flow)).map(({ values }) => values.action?.flow as string),
    ]),
  );
  for (const each of callers) {
    const { action } = each.values;
    const target = action?.flow as string;
    const circle = names
      .filter((flow) => matches(each, flow))
      .flatMap((flow) => {
        const back = wayTo(flow, target, called);
        return back === undefined ? [] : [[flow, ...back]];
      })
      .sort((a, b) => a.length - b.length)[0];
    if (action === undefined || circle === undefined) continue;
    report(
      'circular-call',
      `aspect "${each.name}" runs flow "${target}", which comes back: ${circle.join(' > ')}`,
      originOf(action, 'flow'),
      { severity: 'warning', help: `Choose patterns in on that leave flow "${circle[0]}" out.` },
    );
  }
}

/** The shortest way from one flow to another, both included; undefined when no flow leads there. */
function wayTo(
  wanted: string,
  from: string,
  called: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const seen = new Set([from]);
  let ways: readonly (readonly string[])[] = [[from]];
  while (ways.length > 0) {
    const found = ways.find((way) => way.at(-1) === wanted);
    if (found !== undefined) return found;
    ways = ways.flatMap((way) =>
      (called.get(way.at(-1) as string) ?? []).flatMap((next) => {
        if (seen.has(next)) return [];
        seen.add(next);
        return [[...way, next]];
      }),
    );
  }
  return undefined;
}
