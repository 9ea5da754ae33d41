import type { Project, ProjectRule } from '@svc/protocol/model';
import { isWritten, originOf, type Values } from '@svc/protocol/schema';
import { titleOf } from '../../connectors/core/declaration.ts';
import { dialectOf, relationalDrivers } from '../../connectors/database/engines.ts';
import type { connectorAuth } from '../../platform/identity/auth-spec.ts';
import { flow } from '../flow/spec.ts';
import type { AuthCheck } from './check.ts';
import { placedEndpoints } from './endpoints/places.ts';
import { checkExternalProviders } from './external/rules.ts';
import { checkFactors, sealsSecrets } from './factors/rules.ts';
import { checkProviders } from './federated/rules.ts';
import { patternProblem } from './passwords/policy.ts';
import { settingsOf } from './settings.ts';
import { auth } from './spec.ts';

const drivers = relationalDrivers.map((driver) => `"${driver}"`).join(' or ');
const warning = { severity: 'warning' } as const;

/** What the rules of data cannot say about the root block `auth` (docs/specification/sign-in.md). */
export const checkSignIn: ProjectRule = (project, report) => {
  const written = project.one('auth', auth);
  if (written === undefined) return;
  const settings = settingsOf(written);
  for (const check of checks) check(written, settings, report, project);
};

const checkKeys: AuthCheck = (written, { jwt, mfa }, report) => {
  const block = written.jwt;
  const at = (word: string) => (block === undefined ? originOf(written) : originOf(block, word));
  const isHmac = jwt.algorithm.startsWith('HS');
  if (written.secret !== undefined && block?.secret !== undefined)
    report('conflicting-attributes', '`secret` and `jwt { secret }` are the same attribute', at('secret'), {
      help: 'Remove one of them.',
    });
  if (isHmac && (jwt.secret ?? '') === '')
    report(
      'missing-attribute',
      `tokens are signed with ${jwt.algorithm}, and there is no secret`,
      block === undefined ? originOf(written) : at('algorithm'),
      {
        help: 'Write jwt { secret = env("JWT_SECRET") } with 32 random bytes or more, or algorithm = "RS256", for which the service makes a key itself.',
      },
    );
  for (const word of ['private_key', 'public_key', 'previous_public_keys', 'key_rotation'] as const)
    if (isHmac && block?.[word] !== undefined)
      report('inert-attribute', `\`${word}\` is not read by ${jwt.algorithm}`, at(word), {
        help: 'Remove it, or choose an RS algorithm.',
      });
  if (!isHmac && block?.public_key !== undefined && block.private_key === undefined)
    report('missing-attribute', '`public_key` alone cannot sign tokens', at('public_key'), {
      help: 'Write private_key too, or neither: then the service makes a key pair itself.',
    });
  if (!isHmac && block?.private_key !== undefined && block.key_rotation !== undefined)
    report('inert-attribute', '`key_rotation` has no effect on a configured key', at('key_rotation'), {
      help: 'Remove private_key, so that the service makes and replaces its keys, or remove key_rotation.',
    });
  if (block?.private_key !== undefined && !isHmac && jwt.secret !== undefined && !sealsSecrets(mfa))
    report('inert-attribute', '`secret` is not read: tokens are signed with `private_key`', at('private_key'), {
      help: 'Remove one of them.',
    });
  for (const word of ['previous_secrets', 'previous_public_keys'] as const)
    if (block?.[word]?.includes(''))
      report('empty-value', `an element of \`${word}\` is empty`, at(word), {
        help: 'Set the environment variable that it comes from, or remove it.',
      });
  if (block?.previous_secrets !== undefined && !isHmac && block.private_key !== undefined && !sealsSecrets(mfa))
    report(
      'inert-attribute',
      '`previous_secrets` is not read: tokens are signed with `private_key`',
      at('previous_secrets'),
      {
        help: 'Remove it, or write previous_public_keys for former key pairs.',
      },
    );
  if (jwt.access_typ === 'at+jwt' && (jwt.issuer === undefined || (jwt.audience ?? []).length === 0))
    report(
      'missing-attribute',
      'access tokens of type at+jwt name an issuer and an audience (RFC 9068)',
      at('access_typ'),
      {
        help: 'Write issuer and audience too, or remove access_typ.',
      },
    );
  if (block?.reuse_leeway !== undefined && isWritten(block, 'reuse_leeway') && !jwt.rotation)
    report('inert-attribute', '`reuse_leeway` has no effect: refresh tokens are not rotated', at('reuse_leeway'), {
      help: 'Write rotation = true, or remove it.',
    });
  if (jwt.refresh_lifetime < jwt.access_lifetime)
    report('unwise-value', 'refresh tokens end before access tokens', at('refresh_lifetime'), {
      ...warning,
      help: 'Make refresh_lifetime longer than access_lifetime.',
    });
};

const checkAccounts: AuthCheck = ({ users, audit }, _settings, report, project) => {
  for (const [block, keeps] of [
    [users, 'accounts'],
    [audit, 'records'],
  ] as const) {
    const connector = project.connectors.get(block?.connector ?? '');
    if (block === undefined || connector === undefined || dialectOf(connector.spec) !== undefined) continue;
    report(
      'not-relational',
      `${titleOf(connector)} is not a relational database, so it cannot keep ${keeps}`,
      originOf(block, 'connector'),
      { help: `Name a relational database: a connector with driver = ${drivers}.` },
    );
  }
};

const checkPasswords: AuthCheck = (written, { password, users }, report) => {
  const block = written.password;
  const at = (word: string) => (block === undefined ? originOf(written) : originOf(block, word));
  if (password.min_length > password.max_length)
    report(
      'out-of-range',
      `no password has at least ${password.min_length} and at most ${password.max_length} characters`,
      at(block !== undefined && isWritten(block, 'min_length') ? 'min_length' : 'max_length'),
      { help: 'Make min_length smaller than max_length.' },
    );
  for (const pattern of password.reject_patterns ?? []) {
    const problem = patternProblem(pattern);
    if (problem !== undefined)
      report(
        'invalid-value',
        `the pattern ${JSON.stringify(pattern)} cannot be used: ${problem}`,
        at('reject_patterns'),
        {
          help: 'Write a text, user.email, or a regular expression between slashes.',
        },
      );
  }
  if (password.max_age !== undefined && users !== undefined && users.fields?.password_changed_at === undefined)
    report('inert-attribute', 'no password expires: the age of passwords is not kept', at('max_age'), {
      ...warning,
      help: 'Write users { fields { password_changed_at = "password_changed_at" } }, and add the column to the table.',
    });
  for (const [word, needed] of [
    ['warn_before', password.max_age !== undefined],
    ['breach_url', password.breach_check],
  ] as const)
    if (block?.[word] !== undefined && !needed)
      report('inert-attribute', `\`${word}\` has no effect`, at(word), {
        ...warning,
        help: word === 'warn_before' ? 'Write max_age too, or remove it.' : 'Write breach_check = true, or remove it.',
      });
};

/** A connector with the keys of the root block accepts a token whose session has ended, since it knows no sessions. */
const checkConnectors: AuthCheck = (_written, { jwt }, report, project) => {
  const former = [...(jwt.previous_secrets ?? []), ...(jwt.previous_public_keys ?? [])];
  const own = [jwt.secret, jwt.public_key, ...former].filter((key) => key !== undefined && key !== '');
  for (const { name, values } of project.connectors.values()) {
    const block = (values as { readonly auth?: Values<typeof connectorAuth> }).auth;
    if (block?.type !== 'jwt') continue;
    for (const word of ['secret', 'public_key'] as const)
      if (own.includes(block[word]))
        report(
          'conflicting-attributes',
          `connector "${name}" checks tokens with \`${word}\` of the sign-in system, without their sessions: one that has ended is accepted`,
          originOf(block, word),
          { help: `Remove ${word}: auth of type "jwt" without a key accepts the tokens of the sign-in system.` },
        );
  }
};

const checkProtection: AuthCheck = (written, settings, report) => {
  const { security } = written;
  const { impossible_travel: travel, progressive_delay: delay, preset } = settings;
  if (travel.enabled && travel.geoip === undefined) {
    const isOwn = security?.impossible_travel !== undefined;
    report(
      isOwn ? 'missing-block' : 'inert-block',
      isOwn
        ? 'impossible_travel does not know where addresses are'
        : `preset "${preset}" detects impossible travel, and nothing says where addresses are: it is off`,
      originOf(written, isOwn ? 'security' : 'preset'),
      {
        ...(isOwn ? {} : warning),
        help: 'Write security { impossible_travel { geoip { database = "geo/city.mmdb" } } }, or impossible_travel { enabled = false }.',
      },
    );
  }
  const slower = security?.brute_force?.progressive_delay;
  if (slower !== undefined && delay.initial > delay.max)
    report('out-of-range', 'the first wait is longer than the longest one', originOf(slower, 'initial'), {
      help: 'Make initial smaller than max.',
    });
};

const checkHooks: AuthCheck = ({ hooks }, _settings, report) => {
  for (const [word, hook] of Object.entries(hooks ?? {}))
    if (hook?.on_error === 'fail' && !word.startsWith('before_'))
      report('invalid-value', `hook ${word} cannot refuse anything: it runs afterwards`, originOf(hook, 'on_error'), {
        help: 'Remove on_error, or use a hook that begins with before_.',
      });
};

const checkEndpoints: AuthCheck = (written, settings, report, project) => {
  const servers = [...project.connectors.values()].filter(({ spec }) => spec?.source?.routes === true);
  if (servers.length === 0)
    report('inert-block', 'no connector serves routes, so no one can sign in', originOf(written), {
      ...warning,
      help: `Add one: ${serversOf(project)}.`,
    });
  const at = written.endpoints === undefined ? originOf(written) : originOf(written, 'endpoints');
  const places = new Map<string, string>();
  for (const { name, method, path } of placedEndpoints(settings)) {
    const place = `${method} ${path}`;
    const other = places.get(place);
    if (other !== undefined && other !== name)
      report('duplicate-route', `endpoints ${other} and ${name} are both at ${place}`, at, {
        help: 'Give one of them another path.',
      });
    places.set(place, name);
  }
  const served = new Set(places.values());
  for (const [name, block] of Object.entries(written.endpoints ?? {})) {
    const endpoint = name === 'forgot_password' ? 'password_forgot' : name;
    if (typeof block !== 'object' || block === null || !('enabled' in block) || !block.enabled || served.has(endpoint))
      continue;
    report('inert-block', `endpoint ${name} is not served with these settings`, originOf(block), {
      help: 'Remove its block, or change what turns it off: sessions { allow_list, allow_revoke }, an HS algorithm for jwks and discovery, or for discovery an issuer that is not an address.',
    });
  }
  for (const { name, values } of project.all('flow', flow)) {
    const operation = servers.some((server) => server.name === values.from?.connector)
      ? values.from?.operation
      : undefined;
    const taken = operation === undefined ? undefined : places.get(operation);
    if (taken !== undefined)
      report(
        'hidden-endpoint',
        `flow "${name}" takes the place of the sign-in endpoint ${taken}`,
        originOf(values, 'from'),
        {
          ...warning,
          help: `Move one of them, or write auth { endpoints { ${taken} { enabled = false } } }.`,
        },
      );
  }
};

/** How connectors that serve routes are written. */
function serversOf({ vocabulary }: Project): string {
  const types = vocabulary.connectors.filter(({ source }) => source?.routes === true).map(({ type }) => type);
  return [...new Set(types)].map((type) => `a connector with type = "${type}"`).join(' or ');
}

const checks: readonly AuthCheck[] = [
  checkKeys,
  checkConnectors,
  checkAccounts,
  checkPasswords,
  checkProtection,
  checkFactors,
  checkProviders,
  checkExternalProviders,
  checkHooks,
  checkEndpoints,
];
