import type { ConnectorDeclaration, Report } from '@svc/protocol/model';
import { type ArgumentSource, isWritten, type Origin, originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { type Flavour, scan } from '../connectors/database/statement/scanner.ts';
import type { FlowRule } from './every-flow.ts';
import { specsOf } from './flow-places.ts';

/** Statements of steps have all their parameters; what stands beside a statement without being read is told. */
export const checkStatements: FlowRule = (flow, connectors, report) => {
  for (const step of flow.values.step) {
    const flavour = flavourOf(connectors.get(step.connector));
    if (step.query === undefined) continue;
    if (isWritten(step, 'target')) unread('target', originOf(step, 'target'), report);
    const given = namesOf(step.params);
    if (given) checkPlaceholders(step.query, flavour, given, originOf(step, 'query'), report);
  }
  for (const to of flow.values.to)
    if (to.query !== undefined && isWritten(to, 'target')) unread('target', originOf(to, 'target'), report);
};

function unread(attribute: string, at: Origin, report: Report): void {
  report('inert-attribute', `${attribute} is not read beside query`, at, {
    severity: 'warning',
    help: 'Remove it: the statement names its tables itself.',
  });
}

/** Names that params carry; undefined when they are a list, or only known for a message. */
export function namesOf(params: ArgumentSource | undefined): readonly string[] | undefined {
  if (params === undefined) return [];
  return params.kind === 'map' ? params.entries.map(([name]) => name) : undefined;
}

/** The SQL that a connector speaks; undefined when it speaks none. */
export function flavourOf(connector: ConnectorDeclaration | undefined): Flavour | undefined {
  const drivers = connector ? specsOf(connector).map(({ driver }) => driver) : [];
  return drivers.find((driver) => driver === 'sqlite' || driver === 'postgres');
}

/** Every `:name` of a statement, once, in written order. */
export function parametersOf(statement: string, flavour: Flavour): ReadonlySet<string> {
  return new Set(scan(statement, flavour).pieces.flatMap((piece) => (piece.kind === 'named' ? piece.name : [])));
}

/** Every `:name` of a statement has a value. */
export function checkPlaceholders(
  query: string | undefined,
  flavour: Flavour | undefined,
  given: readonly string[],
  at: Origin,
  report: Report,
): void {
  // One that was left out has been told by name.
  if (flavour === undefined || query === undefined) return;
  for (const name of parametersOf(query, flavour)) {
    if (given.includes(name)) continue;
    const near = closest(name, given);
    report('unbound-parameter', `nothing gives the parameter :${name} of this statement a value`, at, {
      help: near === undefined ? `Write params = { ${name} = "input.${name}" }.` : `Did you mean :${near}?`,
    });
  }
}
