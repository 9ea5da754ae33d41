import type { Project, ProjectRule } from '@svc/protocol/model';
import { originOf, type Values } from '@svc/protocol/schema';
import { connectorAuth } from '../identity/auth-spec.ts';
import { service } from '../service/spec.ts';

/** Keys that come over plain HTTP can be exchanged on the way: then anybody signs tokens. For production. */
export const checkKeySets: ProjectRule = (project, report) => {
  for (const { who, auth } of authBlocks(project))
    if (auth.jwks_url?.startsWith('http:'))
      report('plain-key-set', `${who}: the key set is fetched over http://`, originOf(auth, 'jwks_url'), {
        severity: 'warning',
        help: 'Fetch it over https://, so that nobody on the way can put keys of their own into it.',
      });
};

type Auth = Omit<Values<typeof connectorAuth>, 'public'>;

function* authBlocks(project: Project): Iterable<{ who: string; auth: Auth }> {
  for (const { name, spec, values } of project.connectors.values()) {
    if (spec?.config.blocks['auth'] !== connectorAuth) continue;
    const { auth } = values as unknown as { auth?: Auth };
    if (auth !== undefined) yield { who: `connector "${name}"`, auth };
  }
  const api = project.one('service', service)?.workflow?.api;
  if (api?.auth !== undefined) yield { who: 'workflow.api', auth: api.auth };
}
