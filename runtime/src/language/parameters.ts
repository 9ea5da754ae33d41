import type { Parameter } from '@svc/protocol/language';
import type { ConnectorDeclaration } from '@svc/protocol/model';
import { type ParameterDeclaration, resolveOperation } from '../connectors/operations.ts';
import { flavourOf, parametersOf } from '../rules/statements.ts';

/**
 * The parameters that a call takes: those that the named operation declares, whatever the profile, and then the `:name`
 * of the statement, which stands in the block or in the operation.
 */
export function parametersAsked(
  connector: ConnectorDeclaration | undefined,
  texts: ReadonlyMap<string, string>,
): readonly Parameter[] {
  const profiles = connector === undefined ? [] : [connector, ...connector.profiles.values()];
  const named = profiles.flatMap(
    (profile) =>
      resolveOperation(profile, texts.get('operation')) ?? resolveOperation(profile, texts.get('target')) ?? [],
  );
  const found = new Map<string, Parameter>();
  const add = (parameter: Parameter) => {
    if (!found.has(parameter.name)) found.set(parameter.name, parameter);
  };
  for (const { params } of named) for (const declared of params) add(parameterOf(declared));
  // A block that is used by name learns its connector where it is used.
  const flavour = connector === undefined ? 'postgres' : flavourOf(connector);
  if (flavour === undefined) return [...found.values()];
  // A statement of the block stands in the place of that of the operation.
  const written = texts.get('query');
  const statements = written === undefined ? named.flatMap(({ query }) => query ?? []) : [written];
  for (const statement of statements)
    for (const name of parametersOf(statement, flavour))
      add({ name, detail: `:${name} of the statement`, doc: undefined });
  return [...found.values()];
}

function parameterOf({ label, type, required, default: standard, description }: ParameterDeclaration): Parameter {
  const facts = [
    type,
    required ? 'required' : undefined,
    standard === undefined ? undefined : `default ${JSON.stringify(standard)}`,
  ];
  return { name: label, detail: facts.filter((fact) => fact !== undefined).join('; '), doc: description };
}
