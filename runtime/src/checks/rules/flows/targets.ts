import type { ConnectorDeclaration, Report } from '@svc/protocol/model';
import { isWritten, type Origin, originOf, type TargetSpec } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { specsOf, takesMessages, titleOf } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { type TargetPlace, targetPlaces } from '../../../engine/flow/flow-places.ts';

/** Every `to`, `step` and `enrich` names a connector that can be asked, and asks what it understands. */
export const checkTargets: FlowRule = (flow, connectors, report) => {
  for (const place of targetPlaces(flow)) {
    const connector = connectors.get(place.values.connector);
    if (connector) checkPlace(place, connector, flow.name, report);
  }
};

function checkPlace(place: TargetPlace, connector: ConnectorDeclaration, flow: string, report: Report): void {
  const { values, title } = place;
  const at = originOf(values, 'connector');
  const specs = specsOf(connector);
  if (specs.length === 0) return;
  const targets = specs.flatMap(({ target }) => (target ? [target] : []));
  if (targets.length < specs.length) {
    const storage = specs.some((spec) => spec.storage);
    report('not-a-target', `${titleOf(connector)} cannot be asked or written by a flow`, at, {
      help: storage
        ? 'A cache is named in `storage` of a cache or after block.'
        : 'Name a connector that messages go to.',
    });
    return;
  }
  checkOperation(place, connector, targets, report);
  checkOpenTarget(place, connector, report);
  checkDefaultTarget(place, connector, flow, report);
  if (place.kind === 'to') checkDestination(place.values, connector, targets, flow, report);
  const written = constantTarget(place);
  if (written === undefined || written.text === '' || names(connector, written.text)) return;
  const problem = firstProblem(targets, ({ checkTarget }) => checkTarget?.(written.text));
  if (problem !== undefined)
    report('malformed-target', problem, written.at, { help: `It is written in ${title} of flow "${flow}".` });
}

/** A message that names its own target reaches whatever the connector reaches, unless that is limited to a list. */
function checkOpenTarget({ kind, values }: TargetPlace, connector: ConnectorDeclaration, report: Report): void {
  const target = kind === 'enrich' ? undefined : values.target;
  if (typeof target !== 'object' || target.kind === 'constant') return;
  for (const { name, spec, values: written } of [connector, ...connector.profiles.values()]) {
    const list = spec?.target?.listsTargets;
    if (list === undefined || isWritten(written as Parameters<typeof isWritten>[0], list)) continue;
    const isRefused = spec?.target?.namesListed === true;
    const problem = isRefused
      ? `the message names a target, and connector "${name}" lists none that it may name`
      : `the message may name any table of connector "${name}"`;
    report('open-target', problem, target.origin, {
      ...(!isRefused && { severity: 'warning' }),
      help: `Write ${list} = ["…"] into the connector, with what messages may name.`,
    });
  }
}

/** A connector may give the target of calls without one. */
function checkDefaultTarget(place: TargetPlace, connector: ConnectorDeclaration, flow: string, report: Report): void {
  const { values, kind, title } = place;
  const word = kind === 'enrich' ? undefined : values.target;
  if (word !== undefined && !(word.kind === 'constant' && names(connector, String(word.value)))) return;
  const named = word?.kind === 'constant' ? String(word.value) : values.operation;
  for (const { name, spec, values: written } of [connector, ...connector.profiles.values()]) {
    const attribute = spec?.target?.defaultTarget;
    if (attribute === undefined || isWritten(written as Parameters<typeof isWritten>[0], attribute)) continue;
    if (resolveOperation(connector, named)?.target !== undefined) continue;
    // The operation of an enrichment is its target, unless the connector declares it.
    if (kind === 'enrich' && !names(connector, named)) continue;
    report(
      'missing-target',
      `${title} of flow "${flow}" does not say what to read or write`,
      originOf(values, 'connector'),
      {
        help: `Write target, or ${attribute} into connector "${name}".`,
      },
    );
  }
}

/** An operation that the connector does not declare must be a word that it understands by itself. */
function checkOperation(
  { kind, values }: TargetPlace,
  connector: ConnectorDeclaration,
  targets: readonly TargetSpec[],
  report: Report,
): void {
  const { operation } = values;
  if (operation === '') warnOfEmpty(values, report);
  if (operation === undefined || operation === '') return;
  if (names(connector, operation)) return checkEveryProfile(operation, values, connector, report);
  const isCalled = targets.every(({ abilities }) => abilities.includes('call'));
  // A statement in the operation of a step is a query, and an enrichment reads a table by its name.
  if (kind === 'step' && !isCalled && !takesMessages(specsOf(connector)) && /^\s*\w+\s+\S/.test(operation)) return;
  const isTable = kind === 'enrich' && !isCalled;
  const problem = firstProblem(targets, (target) =>
    isTable ? target.checkTarget?.(operation) : target.checkOperation?.(operation),
  );
  if (problem === undefined) return;
  const declared = [connector, ...connector.profiles.values()];
  const isDeclared = declared.some(({ spec }) => spec?.operation !== undefined);
  const known = isDeclared
    ? declared.flatMap(({ operations }) => [...operations.keys()])
    : targets.flatMap(({ offers = [] }) => offers);
  const near = closest(operation, known);
  const help = isDeclared
    ? `Declare it: operation "${operation}" { … } in ${titleOf(connector)}.`
    : `Write one of ${known.join(', ')}.`;
  report('unknown-operation', problem, originOf(values, 'operation'), {
    help: near === undefined ? help : `Did you mean the operation "${near}"?`,
  });
}

/**
 * An operation that some profiles declare: the others have it as a word of their own, or fail whenever they are asked.
 * The default profile is asked whenever nothing else is selected.
 */
function checkEveryProfile(
  operation: string,
  values: TargetPlace['values'],
  { name: connector, profiles, values: written }: ConnectorDeclaration,
  report: Report,
): void {
  const { default: standard } = written as { readonly default?: unknown };
  for (const { name, operations, spec } of profiles.values()) {
    if (operations.has(operation) || spec?.target?.checkOperation?.(operation) === undefined) continue;
    report(
      'unknown-operation',
      `profile "${name}" of connector "${connector}" has no operation "${operation}", which others have`,
      originOf(values, 'operation'),
      {
        severity: name === standard ? 'error' : 'warning',
        help: `Declare it: operation "${operation}" { … } in profile "${name}".`,
      },
    );
  }
}

/** An empty text is easily left behind, and looks as if it asked for something. */
export function warnOfEmpty(values: Parameters<typeof originOf>[0], report: Report): void {
  report('inert-attribute', 'operation is empty, which is as if it were not written', originOf(values, 'operation'), {
    severity: 'warning',
    help: 'Write an operation, or remove it.',
  });
}

type To = Extract<TargetPlace, { kind: 'to' }>['values'];

function checkDestination(
  to: To,
  connector: ConnectorDeclaration,
  targets: readonly TargetSpec[],
  flow: string,
  report: Report,
): void {
  const target = to.target?.kind === 'constant' ? String(to.target.value) : undefined;
  const named = names(connector, to.operation) || names(connector, target);
  const needs = [...new Set(targets.flatMap(({ needsOneOf }) => needsOneOf))];
  if (needs.length > 0 && !named && !needs.some((name) => isWritten(to, name)))
    report('missing-target', `to of flow "${flow}" does not say what to read or write`, originOf(to, 'connector'), {
      help: `Write one of ${needs.join(', ')}.`,
    });
}

function constantTarget(place: TargetPlace): { readonly text: string; readonly at: Origin } | undefined {
  const target = place.kind === 'enrich' ? undefined : place.values.target;
  return target?.kind === 'constant' && typeof target.value === 'string'
    ? { text: target.value, at: target.origin }
    : undefined;
}

/** Whether the connector, or one of its profiles, declares an operation of that name. */
function names(connector: ConnectorDeclaration, word: string | undefined): boolean {
  return (
    word !== undefined && [connector, ...connector.profiles.values()].some(({ operations }) => operations.has(word))
  );
}

function firstProblem(
  targets: readonly TargetSpec[],
  problemOf: (target: TargetSpec) => string | undefined,
): string | undefined {
  for (const target of targets) {
    const problem = problemOf(target);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
