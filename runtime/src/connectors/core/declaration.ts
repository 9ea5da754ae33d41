import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { ConnectorSpec } from '@svc/protocol/schema';

export { specsOf } from '@svc/protocol/model';

/** How a connector is called in messages: `connector "api" (type driver)`. */
export function titleOf({ name, spec }: Pick<ConnectorDeclaration, 'name' | 'spec'>): string {
  return `connector "${name}" (${kindOf(spec)})`;
}

/** What a connector is, in the words that a configuration has for it: its type, and its driver if it has one. */
export function kindOf(spec: Pick<ConnectorSpec, 'type' | 'driver'> | undefined): string {
  return spec === undefined ? 'profiles' : [spec.type, spec.driver].filter(Boolean).join(' ');
}

/**
 * What an operation does by its text, where these connectors know that. Where profiles differ, one that writes decides.
 */
export function effectOf(
  specs: readonly ConnectorSpec[],
  operation: string | undefined,
): 'reads' | 'writes' | undefined {
  if (operation === undefined) return undefined;
  const effects = specs.flatMap(({ target }) => target?.effect?.(operation) ?? []);
  return effects.includes('writes') ? 'writes' : effects[0];
}

/** Whether a flow that was asked for something writes to a connector (`TargetSpec.takesAnswers`). */
export function takesAnswers(specs: readonly ConnectorSpec[]): boolean {
  return specs.length > 0 && specs.every(({ target }) => target?.takesAnswers === true);
}

/**
 * Whether a connector does nothing but take messages, of which `params` say how they are sent (`TargetSpec.parameters`): there
 * is nothing to read, and no row that parameters could be fields of.
 */
export function takesMessages(specs: readonly ConnectorSpec[]): boolean {
  return (
    specs.length > 0 &&
    specs.every(
      ({ target }) =>
        target?.parameters !== undefined && !target.abilities.includes('read') && !target.abilities.includes('call'),
    )
  );
}

/** The cache connectors that a connector keeps things in. */
export function storagesOf({ spec, values, profiles }: ConnectorDeclaration): readonly string[] {
  const named = Object.entries(spec?.config.attributes ?? {}).flatMap(([name, { kind, refersTo }]) => {
    const value = values[name as keyof typeof values] as unknown;
    return kind === 'reference' && refersTo === 'storage' && typeof value === 'string' ? [value] : [];
  });
  return [...named, ...[...profiles.values()].flatMap(storagesOf)];
}

/** A cache that several processes see, with the drivers that are one, as messages call it. */
export function sharedCache({ vocabulary }: Pick<Project, 'vocabulary'>): string {
  const drivers = vocabulary.connectors
    .filter(({ storage, processLocal }) => storage && !processLocal)
    .map(({ driver }) => `driver = "${driver}"`);
  return `cache that processes share (${drivers.join(' or ')})`;
}
