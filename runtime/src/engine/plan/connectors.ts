import type { CelEngine } from '@svc/protocol/cel';
import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { CelSource, ConnectorSpec, Values } from '@svc/protocol/schema';
import type { Profile } from '../../connectors/profile/connector.ts';
import type { profiled, profilePart } from '../../connectors/profile/spec.ts';
import type { Connector, ConnectorServices, Factory } from '../../foundation/contracts/connector.ts';
import type { ProfileObserver } from '../../foundation/contracts/observer.ts';
import type { PlannedConnector } from '../../foundation/contracts/plan.ts';
import { hideCredentials } from '../../foundation/observe/mask.ts';
import { makePluginConnector, pluginFingerprint } from '../plugins/connector/make.ts';
import { Expressions } from './expressions.ts';
import { fingerprintOf } from './fingerprint.ts';
import { ownOperation } from './profile-operations.ts';
import { compileProjectTypes } from './types.ts';

/** Loads the code of a connector when a configuration names it. */
export type LoadFactory = (spec: ConnectorSpec) => Promise<Factory<ConnectorSpec>>;

/** The connectors of a project, with what it takes to make each. */
export function planConnectors(project: Project, engine: CelEngine, load: LoadFactory): readonly PlannedConnector[] {
  return [...project.connectors.values()].map((declaration) => ({
    name: declaration.name,
    declaration,
    fingerprint: `${fingerprintOf(declaration)}${pluginFingerprint(project, declaration)}`,
    make: (services) => {
      const given = withExpressions(services, declaration.name, engine);
      return declaration.spec === undefined
        ? makeProfiled(project, declaration, given, engine, load)
        : makeOne(project, declaration.name, declaration, given, load);
    },
  }));
}

/** Expressions of a block are compiled where its connector asks for it. */
function withExpressions(services: ConnectorServices, name: string, engine: CelEngine): ConnectorServices {
  return {
    ...services,
    expression: (source, title) => {
      const compiled = new Expressions(engine).expression(source, `connector "${name}": ${title}`);
      return (activation) => compiled.evaluate(activation);
    },
  };
}

async function makeOne(
  project: Project,
  name: string,
  declaration: ConnectorDeclaration,
  services: ConnectorServices,
  load: LoadFactory,
): Promise<Connector> {
  const { spec, values } = declaration;
  // A driver may repeat them, as a part of an error.
  hideCredentials(values);
  const provided = makePluginConnector(project, name, declaration, services);
  if (provided !== undefined) return provided;
  const create = await load(spec as ConnectorSpec);
  return create(name, values as never, services);
}

async function makeProfiled(
  project: Project,
  declaration: ConnectorDeclaration,
  services: ConnectorServices,
  engine: CelEngine,
  load: LoadFactory,
): Promise<Connector> {
  const { ProfiledConnector } = await import('../../connectors/profile/connector.ts');
  const expressions = new Expressions(engine);
  const types = compileProjectTypes(project, expressions);
  const tools = { type: (type: string | undefined) => (type === undefined ? undefined : types.get(type)) };
  const { name } = declaration;
  const { select, default: standard, fallback = [] } = declaration.values as unknown as Values<typeof profiled>;
  const profiles = await Promise.all(
    [...declaration.profiles.values()].map(
      async (profile): Promise<Profile> => ({
        name: profile.name,
        connector: await makeOne(project, name, profile, services, load),
        transform: profileTransform(profile, expressions),
        own: (call) => ownOperation(declaration, profile, call, tools),
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
