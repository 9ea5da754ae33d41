import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { flowsOf, titleOf } from './flow-places.ts';

/** `require` stands where somebody can be signed in; elsewhere it turns every caller away (supplement 6.2). */
export const checkRequirements: ProjectRule = (project, report) => {
  const root = project.vocabulary.blocks['auth'];
  if (root && project.one('auth', root)) return;
  for (const { name, values } of flowsOf(project)) {
    const connector = project.connectors.get(values.from?.connector ?? '');
    if (!values.require || !connector?.spec?.source) continue;
    if ('auth' in connector.values && connector.values.auth !== undefined) continue;
    report(
      'unreachable-gate',
      `flow "${name}" requires somebody to be signed in, and ${titleOf(connector)} signs nobody in`,
      originOf(values, 'require'),
      {
        severity: 'warning',
        help: `Write an auth block into connector "${connector.name}"; until then every request is answered with 401.`,
      },
    );
  }
};
