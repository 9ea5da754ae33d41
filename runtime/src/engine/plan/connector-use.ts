import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { ConnectorSpec } from '@svc/protocol/schema';
import { effectOf, takesAnswers, takesMessages } from '../../connectors/core/declaration.ts';
import { type ResolvedOperation, resolveOperation } from '../../connectors/core/operations.ts';
import { compileParameters, compileSpelling } from '../../connectors/core/parameters.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { ConnectorUse, NamedOperation } from '../flow/tools.ts';
import { commonParameters, everyParameter } from './profile-parameters.ts';
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
    forwards: forwardsOf(specs),
    target: made?.target,
    storage: made?.storage,
    runs: specs.some(({ target }) => target?.runs === true),
    takesAnswers: takesAnswers(specs),
    takesMessages: takesMessages(specs),
    answersFile: (operation) =>
      specs.length > 0 && specs.every(({ target }) => target?.answersFile?.(operation) === true),
    effect: (operation) => effectOf(specs, operation),
    operation: (word) => {
      const resolved = resolveOperation(declaration, word);
      if (resolved === undefined) return undefined;
      return declaration.spec === undefined ? ofProfiles(declaration, resolved) : namedOperation(resolved);
    },
  };
}

/** What all of them forward. */
function forwardsOf(specs: readonly ConnectorSpec[]): ReadonlySet<string> {
  const [first, ...others] = specs.map(({ target }) => target?.forwards ?? []);
  return new Set(first?.filter((name) => others.every((each) => each.includes(name))));
}

/** An operation as flows call it. The values of its parameters come from the flow, whatever `in` says: it decides where they are sent. */
export function namedOperation(resolved: ResolvedOperation): NamedOperation {
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

/** An operation that profiles declare: the flow takes its form, and each profile holds a call to its own parameters and types. */
function ofProfiles(declaration: ConnectorDeclaration, resolved: ResolvedOperation): NamedOperation {
  const { name } = resolved;
  const names = everyParameter(declaration, name);
  const spell = compileSpelling(commonParameters(declaration, name));
  const parameters = names.length === 0 ? undefined : { names, settle: () => undefined, spell };
  return { ...resolved, timeout: undefined, input: undefined, output: undefined, places: undefined, parameters };
}
