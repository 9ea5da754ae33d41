import type { Project } from '@svc/protocol/model';
import { auth } from '../spec.ts';

/** The flows that hooks run, by name. */
export function hookFlows(project: Project): readonly string[] {
  return Object.values(project.one('auth', auth)?.hooks ?? {}).flatMap((hook) => hook?.flow ?? []);
}
