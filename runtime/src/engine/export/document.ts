import type { Project } from '@svc/protocol/model';
import { service } from '../settings/spec.ts';
import type { Json, JsonObject } from './json-schema.ts';

/** Name and version of the service, as its descriptions have them. */
export function identityOf(project: Project): { readonly name: string; readonly version: string } {
  const settings = project.one('service', service);
  const name = settings?.name ?? String(service.attributes.name.default);
  const version = settings && settings.version !== service.attributes.version.default ? settings.version : '1.0.0';
  return { name, version };
}

/** An object whose names are in alphabetical order. */
export function byName(entries: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
