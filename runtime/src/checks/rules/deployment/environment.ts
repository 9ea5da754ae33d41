import type { ConnectorDeclaration, Project, ProjectRule } from '@svc/protocol/model';
import { type Origin, originOf, type Values } from '@svc/protocol/schema';
import { sharedCache } from '../../../connectors/core/declaration.ts';
import { dialectOf } from '../../../connectors/database/engines.ts';
import { auth as signIn } from '../../../engine/auth/spec.ts';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import { service } from '../../../engine/settings/spec.ts';
import type { EnvironmentGroup } from '../../../foundation/contracts/environment.ts';
import { connectorAuth } from '../../../platform/identity/auth-spec.ts';
import { isProcessLocal, sharedStorage } from '../../../platform/sync/storage-spec.ts';
import { runsInEveryProcess } from '../flows/schedules.ts';

/** Bits of the modulus of an RSA key; undefined for keys of another kind, and for text that is not a key. */
export type RsaBits = (pem: string) => number | undefined;

/**
 * What is refused or warned about where the environment is not that of a developer. `start` and `validate` agree on it.
 */
export function environmentRules(group: EnvironmentGroup, rsaBits: RsaBits): readonly ProjectRule[] {
  if (group === 'development') return [];
  const everywhere = [checkTokenKeys(rsaBits), checkCertificates];
  return group === 'staging'
    ? everywhere
    : [...everywhere, checkKeySets, checkDatabases, checkSchedules, checkCallers, checkAccounts];
}

const unwise = { severity: 'warning' } as const;

/** Bytes of a secret for HS256 (RFC 7518, 3.2), and bits of an RSA key (RFC 7518, 3.3). */
const leastSecret = 32;
const leastRsa = 2048;

/** A key that tokens are signed or checked with, where it is written. */
interface WrittenKey {
  /** Who has it, for messages. */
  readonly who: string;
  readonly secret: string | undefined;
  readonly pem: string | undefined;
  readonly at: (word: 'secret' | 'key') => Origin;
  readonly remedy: string;
}

/** Keys that can be found by trying would let anybody sign tokens. */
const checkTokenKeys =
  (rsaBits: RsaBits): ProjectRule =>
  (project, report) => {
    for (const { who, secret, pem, at, remedy } of tokenKeys(project)) {
      const bytes = Buffer.byteLength(secret ?? '');
      if (bytes > 0 && bytes < leastSecret)
        report('weak-key', `${who}: the secret has ${bytes} bytes, fewer than ${leastSecret}`, at('secret'), {
          help: 'Use 32 random bytes or more, such as the output of `openssl rand -base64 48`.',
        });
      const bits = pem === undefined ? undefined : rsaBits(pem);
      if (bits !== undefined && bits < leastRsa)
        report('weak-key', `${who}: the RSA key has ${bits} bits, fewer than ${leastRsa}`, at('key'), { help: remedy });
    }
  };

function* tokenKeys(project: Project): Iterable<WrittenKey> {
  for (const { who, auth } of authBlocks(project))
    if (auth.type === 'jwt')
      yield {
        who,
        secret: auth.secret,
        pem: auth.public_key,
        at: (word) => originOf(auth, word === 'secret' ? 'secret' : 'public_key'),
        remedy: 'Have the issuer sign with an RSA key of 2048 bits or more, or with an EC key.',
      };
  const root = project.one('auth', signIn);
  if (root === undefined) return;
  const { jwt } = root;
  yield {
    who: 'auth',
    secret: jwt?.secret ?? root.secret,
    pem: jwt?.private_key,
    at: (word) =>
      jwt === undefined ? originOf(root, 'secret') : originOf(jwt, word === 'secret' ? 'secret' : 'private_key'),
    remedy: 'Use an RSA key of 2048 bits or more, or none: then the service makes one itself.',
  };
  if (jwt === undefined) return;
  const { previous_secrets: secrets = [], previous_public_keys: keys = [] } = jwt;
  const remedy = 'Remove it: those who hold its tokens sign in again.';
  for (const secret of secrets)
    yield { who: 'auth', secret, pem: undefined, at: () => originOf(jwt, 'previous_secrets'), remedy };
  for (const pem of keys)
    yield { who: 'auth', secret: undefined, pem, at: () => originOf(jwt, 'previous_public_keys'), remedy };
}

/** Keys that come over plain HTTP can be exchanged on the way: then anybody signs tokens. */
const checkKeySets: ProjectRule = (project, report) => {
  for (const { who, auth } of authBlocks(project))
    if (auth.jwks_url?.startsWith('http:'))
      report('plain-key-set', `${who}: the key set is fetched over http://`, originOf(auth, 'jwks_url'), {
        ...unwise,
        help: 'Fetch it over https://, so that no one on the way can put keys of their own into it.',
      });
};

type Auth = Omit<Values<typeof connectorAuth>, 'public'>;

/** Every place where credentials of callers are checked. */
function* authBlocks(project: Project): Iterable<{ who: string; auth: Auth }> {
  for (const { name, spec, values } of project.connectors.values()) {
    if (spec?.config.blocks['auth'] !== connectorAuth) continue;
    const { auth } = values as unknown as { auth?: Auth };
    if (auth !== undefined) yield { who: `connector "${name}"`, auth };
  }
  const api = project.one('service', service)?.workflow?.api;
  if (api?.auth !== undefined) yield { who: 'workflow.api', auth: api.auth };
}

const checkCertificates: ProjectRule = (project, report) => {
  for (const connector of declarations(project))
    if (skipsVerification(connector.values))
      report(
        'unverified-certificate',
        `connector "${connector.name}" does not verify certificates: insecure_skip_verify is on`,
        connector.origin,
        { ...unwise, help: 'Name the authority in `ca` and remove insecure_skip_verify.' },
      );
};

const checkDatabases: ProjectRule = (project, report) => {
  for (const { name, spec, values, origin } of declarations(project))
    if ((dialectOf(spec)?.reach(values) ?? 'network') !== 'network')
      report(`${spec?.canonical}-in-production`, `connector "${name}" is an ${spec?.canonical} database`, origin, {
        ...unwise,
        help: 'Only one machine can use its file; use a database server where several serve.',
      });
};

const checkSchedules: ProjectRule = (project, report) => {
  for (const flow of flowsOf(project).filter(runsInEveryProcess))
    report(
      'schedule-in-every-process',
      `every process of the service runs flow "${flow.name}" at each tick: its when names no storage`,
      originOf(flow.values, 'when') ?? flow.origin,
      { ...unwise, help: `Name a relational database, or a ${sharedCache(project)}, as storage of when.` },
    );
};

const checkCallers: ProjectRule = (project, report) => {
  const servers = declarations(project).filter(({ spec }) => spec?.source?.listens !== undefined);
  const [first, ...others] = servers.filter(({ values }) => !('auth' in values) || values.auth === undefined);
  if (first === undefined || hasBlock(project, 'auth')) return;
  const names = [first, ...others].map(({ name }) => `"${name}"`).join(', ');
  report('open-server', `no caller is authenticated: no auth block, and none on ${names}`, first.origin, {
    ...unwise,
    help: 'Write an `auth` block into each of them.',
  });
};

const checkAccounts: ProjectRule = (project, report) => {
  const written = project.one('auth', signIn);
  if (written === undefined) return;
  if (written.users === undefined)
    report('memory-in-production', 'accounts are lost with the process: auth names no database', originOf(written), {
      ...unwise,
      help: 'Write users { connector = … } with a relational database.',
    });
  if (isProcessLocal(written.storage))
    report(
      'memory-in-production',
      'sessions are lost with the process, and other processes do not know them',
      originOf(written),
      {
        ...unwise,
        help: `Write storage { ${sharedStorage} … } into auth.`,
      },
    );
};

function declarations(project: Project): readonly ConnectorDeclaration[] {
  return [...project.connectors.values()].flatMap((one) => [one, ...one.profiles.values()]);
}

function hasBlock(project: Project, word: string): boolean {
  return project.files.some(({ body }) => body.items.some((item) => item.kind === 'block' && item.type.text === word));
}

/** Looks through nested blocks, since `tls` is written at different depths. */
function skipsVerification(values: unknown): boolean {
  if (values === null || typeof values !== 'object') return false;
  return Object.entries(values).some(
    ([name, value]) => (name === 'insecure_skip_verify' && value === true) || skipsVerification(value),
  );
}
