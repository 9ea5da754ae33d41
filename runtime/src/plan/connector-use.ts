import type { ConnectorDeclaration } from '@svc/protocol/model';
import { type ResolvedOperation, resolveOperation } from '../connectors/operations.ts';
import { compileParameters, compileSpelling } from '../connectors/parameters.ts';
import type { Connector } from '../contracts/connector.ts';
import type { ConnectorUse, NamedOperation } from '../flow/tools.ts';
import { matcherOf } from './types.ts';

/** A connector as the stages of flows use it. `made` is undefined when it could not be made. */
export function connectorUse(declaration: ConnectorDeclaration, made: Connector | undefined): ConnectorUse {
  const specs = declaration.spec
    ? [declaration.spec]
    : [...declaration.profiles.values()].flatMap(({ spec }) => spec ?? []);
  return {
    name: declaration.name,
    type: declaration.spec?.canonical ?? 'profile',
    abilities: new Set(specs.flatMap(({ target }) => target?.abilities ?? [])),
    target: made?.target,
    storage: made?.storage,
    operation: (word) => namedOperation(resolveOperation(declaration, word)),
  };
}

/** An operation as flows call it. The values of its parameters come from the flow, whatever `in` says: it decides where they are sent. */
function namedOperation(resolved: ResolvedOperation | undefined): NamedOperation | undefined {
  if (resolved === undefined) return undefined;
  const declared = resolved.params.map((each) => ({ ...each, in: undefined }));
  if (declared.length === 0) return { ...resolved, parameters: undefined, places: undefined };
  const names = declared.map(({ label }) => label);
  const places = new Map(resolved.params.flatMap(({ label, in: place }) => (place ? [[label, place] as const] : [])));
  return {
    ...resolved,
    places,
    parameters: { names, settle: compileParameters(declared, matcherOf), spell: compileSpelling(declared) },
  };
}
