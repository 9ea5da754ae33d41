import type { Project, ProjectRule, Report } from '@svc/protocol/model';
import { type BlockSpec, isWritten, originOf, type Values } from '@svc/protocol/schema';
import { titleOf } from '../../../connectors/core/declaration.ts';
import { dialectOf } from '../../../connectors/database/engines.ts';
import { cors } from '../../../platform/http/admission/cors-spec.ts';
import { authProblems } from '../../../platform/identity/auth-rules.ts';
import { connectorAuth } from '../../../platform/identity/auth-spec.ts';

/** Servers check credentials with something, and give them to no page of just any origin. */
export const checkServerAccess: ProjectRule = (project, report) => {
  for (const { name, spec, values } of project.connectors.values()) {
    const auth = nested(values, spec?.config, 'auth', connectorAuth);
    if (auth !== undefined) checkAuth(auth, `connector "${name}"`, project, report, asksCertificates(values));
    const origins = nested(values, spec?.config, 'cors', cors);
    if (origins?.allow_credentials && origins.origins.includes('*'))
      report(
        'credentials-for-any-origin',
        'credentials cannot be allowed for every origin',
        originOf(origins, 'origins'),
        {
          help: 'List the origins that may send credentials, or remove allow_credentials.',
        },
      );
  }
};

/** An `auth` block has something to check credentials with. `who` has the block. */
export function checkAuth(
  auth: Values<typeof connectorAuth>,
  who: string,
  project: Project,
  report: Report,
  certified = false,
): void {
  const written = (word: string) => isWritten(auth, word);
  for (const { at, message, help } of authProblems(auth, written, hasRootAuth(project), certified))
    report('invalid-auth', `${who}: ${message}`, originOf(auth, at), { help });
  const { validate } = auth;
  const lookup = validate && project.connectors.get(validate.connector);
  if (validate && lookup?.spec && dialectOf(lookup.spec) === undefined)
    report(
      'not-a-database',
      `${titleOf(lookup)} is not a database, so no key can be looked up in it`,
      originOf(validate, 'connector'),
      { help: 'Name a relational database.' },
    );
}

/** Whether clients of a server must present a certificate. */
function asksCertificates(values: Values<BlockSpec>): boolean {
  const { tls } = values as { readonly tls?: { readonly enabled?: boolean; readonly ca_cert?: string } };
  return tls?.enabled === true && tls.ca_cert !== undefined;
}

/** The block `word` of a connector, when its spec declares it as `shared`. */
function nested<S extends BlockSpec>(
  values: Values<BlockSpec>,
  config: BlockSpec | undefined,
  word: string,
  shared: S,
): Values<S> | undefined {
  if (config?.blocks[word] !== (shared as BlockSpec)) return undefined;
  return (values as unknown as Readonly<Record<string, Values<S> | undefined>>)[word];
}

function hasRootAuth(project: Project): boolean {
  const spec = project.vocabulary.blocks['auth'];
  return spec !== undefined && project.one('auth', spec) !== undefined;
}
