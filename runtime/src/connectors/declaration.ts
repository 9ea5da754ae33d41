import type { ConnectorDeclaration, Project } from '@svc/protocol/model';

export { specsOf } from '@svc/protocol/model';

/** How a connector is called in messages: `connector "api" (type driver)`. */
export function titleOf({ name, spec }: ConnectorDeclaration): string {
  const kind = spec === undefined ? 'profiles' : [spec.type, spec.driver].filter(Boolean).join(' ');
  return `connector "${name}" (${kind})`;
}

/** A cache that several processes see, with the drivers that are one, as messages call it. */
export function sharedCache({ vocabulary }: Pick<Project, 'vocabulary'>): string {
  const drivers = vocabulary.connectors
    .filter(({ storage, processLocal }) => storage && !processLocal)
    .map(({ driver }) => `driver = "${driver}"`);
  return `cache that processes share (${drivers.join(' or ')})`;
}
