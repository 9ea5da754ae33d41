import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { EnvironmentGroup } from '../config/environment.ts';
import { flowsOf } from '../rules/flow-places.ts';
import { checkKeySets } from '../rules/key-sets.ts';
import { runsInEveryProcess } from '../rules/schedules.ts';

/** What is unwise outside development, one sentence each (supplement-flows 1.4). Never fatal. */
export function environmentWarnings(project: Project, group: EnvironmentGroup): string[] {
  if (group === 'development') return [];
  const connectors = [...project.connectors.values()].flatMap((one) => [one, ...one.profiles.values()]);
  const warnings: string[] = [];
  for (const connector of connectors)
    if (skipsVerification(connector.values))
      warnings.push(`connector "${connector.name}" does not verify certificates: insecure_skip_verify is on`);
  if (group !== 'production') return warnings;
  for (const { name, spec } of connectors)
    if (spec?.canonical === 'sqlite') warnings.push(`connector "${name}" is an sqlite database`);
  for (const flow of flowsOf(project).filter(runsInEveryProcess))
    warnings.push(`every process of the service runs flow "${flow.name}" at each tick: its when names no storage`);
  checkKeySets(project, (_code, message) => void warnings.push(message));
  const servers = connectors.filter(({ spec }) => spec?.source?.style === 'request');
  const unguarded = servers.filter(({ values }) => !('auth' in values) || values.auth === undefined);
  if (unguarded.length > 0 && !hasBlock(project, 'auth')) warnings.push(unguardedWarning(unguarded));
  return warnings;
}

function unguardedWarning(servers: readonly ConnectorDeclaration[]): string {
  const names = servers.map(({ name }) => `"${name}"`).join(', ');
  return `nobody is asked who they are: no auth block, and none on ${names}`;
}

function hasBlock(project: Project, word: string): boolean {
  return project.files.some(({ body }) => body.items.some((item) => item.kind === 'block' && item.type.text === word));
}

/** Looks through nested blocks, since `tls` stands at different depths. */
function skipsVerification(values: unknown): boolean {
  if (values === null || typeof values !== 'object') return false;
  return Object.entries(values).some(
    ([name, value]) => (name === 'insecure_skip_verify' && value === true) || skipsVerification(value),
  );
}
