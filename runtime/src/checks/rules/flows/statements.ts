import type { ConnectorDeclaration, Report } from '@svc/protocol/model';
import { type ArgumentSource, isWritten, type Origin, originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { specsOf } from '../../../connectors/core/declaration.ts';
import { dialectOf } from '../../../connectors/database/engines.ts';
import { commonLexis, type Lexis, namesIn, scan } from '../../../connectors/database/statement/scanner.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';

/** Statements of steps have all their parameters; what is written beside a statement without being read is reported. */
export const checkStatements: FlowRule = (flow, connectors, report) => {
  for (const step of flow.values.step) {
    const lexis = lexisOf(connectors.get(step.connector));
    if (step.query === undefined) continue;
    if (isWritten(step, 'target') && lexis !== undefined) unread('target', originOf(step, 'target'), report);
    const given = namesOf(step.params);
    if (given) checkPlaceholders(step.query, lexis, given, originOf(step, 'query'), report);
  }
  for (const to of flow.values.to)
    if (to.query !== undefined && isWritten(to, 'target') && lexisOf(connectors.get(to.connector)) !== undefined)
      unread('target', originOf(to, 'target'), report);
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
export function lexisOf(connector: ConnectorDeclaration | undefined): Lexis | undefined {
  const dialects = connector ? specsOf(connector).map(dialectOf) : [];
  return dialects.find((dialect) => dialect !== undefined)?.lexis;
}

/** The same for a statement that may be in a block which learns its connector where it is used. */
export function statementLexis(connector: ConnectorDeclaration | undefined): Lexis | undefined {
  return connector === undefined ? commonLexis : lexisOf(connector);
}

/** Every `:name` of a statement, once, in written order. */
export function parametersOf(statement: string, lexis: Lexis): ReadonlySet<string> {
  return new Set(namesIn(scan(statement, lexis)));
}

/** Every `:name` of a statement has a value. */
export function checkPlaceholders(
  query: string | undefined,
  lexis: Lexis | undefined,
  given: readonly string[],
  at: Origin,
  report: Report,
): void {
  // One that was left out has been reported by name.
  if (lexis === undefined || query === undefined) return;
  for (const name of parametersOf(query, lexis)) if (!given.includes(name)) reportUnbound(name, given, at, report);
}

export function reportUnbound(name: string, given: readonly string[], at: Origin, report: Report): void {
  const near = closest(name, given);
  report('unbound-parameter', `nothing gives the parameter :${name} of this statement a value`, at, {
    help: near === undefined ? `Write params = { ${name} = "input.${name}" }.` : `Did you mean :${near}?`,
  });
}
