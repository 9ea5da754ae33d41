import { toJson } from '@svc/protocol/cel';
import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { ConnectorSpec } from '@svc/protocol/schema';
import type { Connector, ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { hideCredentials } from '../../../foundation/observe/mask.ts';
import { Metrics } from '../../../foundation/observe/metrics.ts';
import { fileStamp } from '../host/module-file.ts';
import { ModuleHost } from '../host/module-host.ts';
import { limitsOfUse } from '../modules.ts';
import { connectorModelOf } from '../vocabulary.ts';
import { PluginConnector } from './connector.ts';

/** The connector of a type that a plugin provides; undefined for types that are built in. Opens nothing. */
export function makePluginConnector(
  project: Project,
  name: string,
  { spec, values }: ConnectorDeclaration,
  services: ConnectorServices,
): Connector | undefined {
  const model = spec && connectorModelOf(spec);
  if (spec === undefined || model === undefined) return undefined;
  const config = configOf(values as never, spec);
  for (const secret of secretsOf(config, spec)) hideCredentials({ password: secret });
  const { directory, log, families = new Metrics().families } = services;
  const limits = limitsOfUse(project, model.module);
  const initial = JSON.stringify(toJson(config));
  return new PluginConnector(name, new ModuleHost(model.module, limits, { directory, log, families }, initial));
}

/** The block as the module is given it: its fields, with defaults, and without what every connector says. */
function configOf(values: Readonly<Record<string, unknown>>, { config }: ConnectorSpec): Record<string, unknown> {
  const { health: _, fields, ...own } = values;
  const named = Object.entries(own).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(config.attributes, name),
  );
  const free = Array.isArray(fields) ? (fields as { readonly name: string; readonly value: unknown }[]) : [];
  return Object.fromEntries([...named, ...free.map(({ name, value }) => [name, value] as const)]);
}

function secretsOf(config: Readonly<Record<string, unknown>>, spec: ConnectorSpec): readonly string[] {
  return Object.entries(spec.config.attributes).flatMap(([name, { secret }]) =>
    secret && typeof config[name] === 'string' ? [config[name]] : [],
  );
}

/** What an open connector of a plugin depends on besides its block: the module, as it is now, and its limits. Empty for others. */
export function pluginFingerprint(project: Project, { spec, profiles }: ConnectorDeclaration): string {
  if (profiles.size > 0) return [...profiles.values()].map((profile) => pluginFingerprint(project, profile)).join('');
  const module = spec && connectorModelOf(spec)?.module;
  if (module === undefined) return '';
  const { abi, path, absolute = path } = module;
  return ` ${JSON.stringify([path, abi, limitsOfUse(project, module), fileStamp({ path: absolute }, '/')])}`;
}
