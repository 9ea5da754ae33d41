import type { Parameter } from '@svc/protocol/language';
import type { ConnectorDeclaration } from '@svc/protocol/model';
import {
  type ParameterDeclaration,
  type ResolvedOperation,
  resolveOperation,
} from '../../connectors/core/operations.ts';
import { parametersOf, statementLexis } from '../rules/flows/statements.ts';

/**
 * The parameters that a call takes: those that the named operation declares, whatever the profile, those that the
 * connector knows of its operations, and then the `:name` of the statement, which is written in the block or in the
 * operation.
 */
export function parametersAsked(
  connector: ConnectorDeclaration | undefined,
  texts: ReadonlyMap<string, string>,
): readonly Parameter[] {
  const profiles = connector === undefined ? [] : [connector, ...connector.profiles.values()];
  const named = profiles.flatMap((profile) => namedIn(profile, texts) ?? []);
  const found = new Map<string, Parameter>();
  const add = (parameter: Parameter) => {
    if (!found.has(parameter.name)) found.set(parameter.name, parameter);
  };
  for (const { params } of named) for (const declared of params) add(parameterOf(declared));
  for (const profile of profiles) for (const known of knownTo(profile, texts)) add(known);
  const lexis = statementLexis(connector);
  if (lexis === undefined) return [...found.values()];
  // A statement of the block takes precedence over that of the operation.
  const written = texts.get('query');
  const statements = written === undefined ? named.flatMap(({ query }) => query ?? []) : [written];
  for (const statement of statements)
    for (const name of parametersOf(statement, lexis))
      add({ name, detail: `:${name} of the statement`, doc: undefined });
  return [...found.values()];
}

function namedIn(connector: ConnectorDeclaration, texts: ReadonlyMap<string, string>): ResolvedOperation | undefined {
  return resolveOperation(connector, texts.get('operation')) ?? resolveOperation(connector, texts.get('target'));
}

/** What a connector knows of the parameters of an operation, without the one that the block gives as its target. */
function knownTo(connector: ConnectorDeclaration, texts: ReadonlyMap<string, string>): readonly Parameter[] {
  const named = namedIn(connector, texts);
  const operation = named === undefined ? texts.get('operation') : named.operation;
  const known = connector.spec?.target?.parameters?.(operation, named?.own, connector.values);
  if (known === undefined) return [];
  const { needs, takes, byTarget, docs } = known;
  const isGiven = (name: string) => name === byTarget && texts.has('target');
  return [...needs, ...takes]
    .filter((name) => !isGiven(name))
    .map((name) => ({ name, detail: needs.includes(name) ? 'required' : 'optional', doc: docs?.[name] }));
}

function parameterOf({ label, type, required, default: standard, description }: ParameterDeclaration): Parameter {
  const facts = [
    type,
    required ? 'required' : undefined,
    standard === undefined ? undefined : `default ${JSON.stringify(standard)}`,
  ];
  return { name: label, detail: facts.filter((fact) => fact !== undefined).join('; '), doc: description };
}
