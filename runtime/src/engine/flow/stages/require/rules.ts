import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { titleOf } from '../../../../connectors/core/declaration.ts';
import { flowsOf } from '../../declarations.ts';

/** `require` needs a connector with authentication; elsewhere it rejects every caller. */
export const checkRequirements: ProjectRule = (project, report) => {
  const root = project.vocabulary.blocks['auth'];
  if (root && project.one('auth', root)) return;
  for (const { name, values } of flowsOf(project)) {
    const connector = project.connectors.get(values.from?.connector ?? '');
    if (!values.require || !connector?.spec?.source) continue;
    if ('auth' in connector.values && connector.values.auth !== undefined) continue;
    report(
      'unreachable-gate',
      `flow "${name}" requires a signed-in caller, and ${titleOf(connector)} has no authentication`,
      originOf(values, 'require'),
      {
        severity: 'warning',
        help: `Write an auth block into connector "${connector.name}"; until then every request is answered with 401.`,
      },
    );
  }
};
