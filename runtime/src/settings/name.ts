import type { Project } from '@svc/protocol/model';
import { service, standardName } from './spec.ts';

/** The name of the service of a configuration, its default where none is written. */
export function serviceNameOf(project: Project): string {
  return project.one('service', service)?.name ?? standardName;
}
