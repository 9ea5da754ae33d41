import type { Project } from '@svc/protocol/model';
import { type ConnectorSpec, operationNeed } from '@svc/protocol/schema';
import { quote } from '@svc/protocol/syntax';
import { UsageError } from '../command.ts';
import { type AddContext, type AddKind, existing, missing } from './kind.ts';

/** `svc add flow`: where messages come from and where they go. */
export const flow: AddKind = {
  name: 'flow',
  word: 'flow',
  sharesNamesWith: 'saga',
  folder: 'flows',
  options: ['from', 'operation', 'to', 'target'],
  source: (context) => `flow ${quote(context.name)} {\n${triggerOf(context)}${destinationOf(context)}}`,
};

/** The block that names the source of messages; sagas have the same one. */
export function triggerOf({ given, project }: AddContext): string {
  const [from, operation] = [given.text('from'), given.text('operation')];
  if (from === undefined) {
    if (operation !== undefined) throw new UsageError('--operation belongs to --from');
    return missing('from { connector = "…" }, or when');
  }
  const specs = specsOf(existing('connector', from, project), project);
  if (specs.length > 0 && specs.every(({ source }) => source === undefined))
    throw new UsageError(`nothing can start at "${from}": a ${specs[0]?.type} sends nothing`);
  const source = specs[0]?.source;
  const values = project.connectors.get(from)?.values ?? {};
  const isNamed = operation !== undefined && (project.connectors.get(from)?.operations?.has(operation) ?? false);
  const problem = operation === undefined || isNamed ? undefined : source?.checkOperation?.(operation, values);
  if (problem !== undefined) throw new UsageError(`--operation: ${problem}`);
  const needsOperation = source !== undefined && operationNeed(source, values) === 'required';
  const said =
    operation !== undefined
      ? `operation = ${quote(operation)}\n`
      : needsOperation
        ? missing('operation = "GET /…"')
        : '';
  return `from {\nconnector = ${quote(from)}\n${said}}\n`;
}

function destinationOf({ given, project }: AddContext): string {
  const [to, target] = [given.text('to'), given.text('target')];
  if (to === undefined) {
    if (target !== undefined) throw new UsageError('--target belongs to --to');
    return missing('what it does: step, transform, to, response');
  }
  const specs = specsOf(existing('connector', to, project), project);
  if (specs.length > 0 && specs.every((spec) => spec.target === undefined))
    throw new UsageError(`nothing can be sent to "${to}": a ${specs[0]?.type} takes nothing`);
  const needs = specs[0]?.target?.needsOneOf ?? [];
  const said =
    target !== undefined
      ? `target = ${quote(target)}\n`
      : needs.length > 0
        ? missing(`one of ${needs.join(', ')}`)
        : '';
  return `to {\nconnector = ${quote(to)}\n${said}}\n`;
}

/** The specs of a connector: several with profiles, an empty list where its block has errors. */
function specsOf(name: string, { connectors }: Project): readonly ConnectorSpec[] {
  const found = connectors.get(name);
  return found === undefined ? [] : [found, ...found.profiles.values()].flatMap(({ spec }) => spec ?? []);
}
