import type { CelEngine } from '@svc/protocol/cel';
import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { CelSource, ConnectorSpec, Values } from '@svc/protocol/schema';
import type {
  CallDescription,
  Connector,
  ConnectorServices,
  Factory,
  ProfileObserver,
} from '../connectors/contract.ts';
import { type ResolvedOperation, resolveOperation } from '../connectors/operations.ts';
import { compileParameters } from '../connectors/parameters.ts';
import type { Profile } from '../connectors/profile/connector.ts';
import type { profiled, profilePart } from '../connectors/profile/spec.ts';
import type { ConnectorUse, NamedOperation } from '../flow/tools.ts';
import { Expressions } from './expressions.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { PlannedConnector } from './plan.ts';
import { matcherOf } from './types.ts';

/** Loads the code of a connector when a configuration names it. */
export type LoadFactory = (spec: ConnectorSpec) => Promise<Factory<ConnectorSpec>>;

/** The connectors of a project, with what it takes to make each. */
export function planConnectors(project: Project, engine: CelEngine, load: LoadFactory): readonly PlannedConnector[] {
  return [...project.connectors.values()].map((declaration) => ({
    name: declaration.name,
    declaration,
    fingerprint: fingerprintOf(declaration),
    make: (services) =>
      declaration.spec === undefined
        ? makeProfiled(declaration, services, engine, load)
        : makeOne(declaration.name, declaration, services, load),
  }));
}

async function makeOne(
  name: string,
  { spec, values }: ConnectorDeclaration,
  services: ConnectorServices,
  load: LoadFactory,
): Promise<Connector> {
  const create = await load(spec as ConnectorSpec);
  return create(name, values as never, services);
}

async function makeProfiled(
  declaration: ConnectorDeclaration,
  services: ConnectorServices,
  engine: CelEngine,
  load: LoadFactory,
): Promise<Connector> {
  const { ProfiledConnector } = await import('../connectors/profile/connector.ts');
  const expressions = new Expressions(engine);
  const { name } = declaration;
  const { select, default: standard, fallback = [] } = declaration.values as Values<typeof profiled>;
  const profiles = await Promise.all(
    [...declaration.profiles.values()].map(
      async (profile): Promise<Profile> => ({
        name: profile.name,
        connector: await makeOne(name, profile, services, load),
        transform: profileTransform(profile, expressions),
        resolve: (call) => resolved(profile, call),
      }),
    ),
  );
  const choose = select && expressions.expression(select as CelSource, `connector "${name}": select`);
  const options = {
    select: choose && ((activation: object) => choose.evaluate(activation)),
    default: standard,
    fallback,
  };
  return new ProfiledConnector(name, profiles, options, services, observerOf(services));
}

function observerOf(services: ConnectorServices): ProfileObserver {
  const { profiles } = services;
  return profiles ?? { selected: () => undefined, requested: () => undefined, fellBack: () => undefined };
}

function profileTransform({ values }: ConnectorDeclaration, expressions: Expressions): Profile['transform'] {
  const { transform } = values as unknown as Values<typeof profilePart>;
  return transform?.fields.map(({ name, value }) => {
    const expression = expressions.expression(value, `transform: ${name}`);
    return { name, evaluate: (activation: object) => expression.evaluate(activation) };
  });
}

/** A call that names an operation which only some profiles declare. */
function resolved(profile: ConnectorDeclaration, call: CallDescription): CallDescription {
  const named = resolveOperation(profile, call.operation);
  if (named === undefined) return call;
  return {
    ...call,
    operation: named.operation,
    target: named.target ?? call.target,
    query: call.query ?? named.query,
    timeout: call.timeout ?? named.timeout,
  };
}

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

/** An operation as flows call it. Of a parameter, `in` says where a caller puts it; here the values come from the flow. */
function namedOperation(resolved: ResolvedOperation | undefined): NamedOperation | undefined {
  if (resolved === undefined) return undefined;
  const declared = resolved.params.map((each) => ({ ...each, in: undefined }));
  if (declared.length === 0) return { ...resolved, parameters: undefined };
  const names = declared.map(({ label }) => label);
  return { ...resolved, parameters: { names, settle: compileParameters(declared, matcherOf) } };
}
