import type { Project } from '@svc/protocol/model';
import { service, standardName } from '../settings/spec.ts';

/** The name of the service of a configuration, or the usual one. */
export function serviceNameOf(project: Project): string {
  return project.one('service', service)?.name ?? standardName;
}
