import type { ProjectRule } from '@svc/protocol/model';
import { isWritten, originOf } from '@svc/protocol/schema';
import { titleOf } from '../../../connectors/core/declaration.ts';
import { flowsOf } from '../../flow/declarations.ts';
import type { AuthCheck } from '../check.ts';
import { type MfaSettings, settingsOf } from '../settings.ts';
import { auth } from '../spec.ts';
import { relyingPartyOf } from './passkeys/relying-party.ts';
import { demandsFactors } from './policy.ts';
import { bitsOf } from './recovery/strength.ts';

/** Bits of a recovery code below which it is guessed too easily. */
const leastBits = 20;
const warning = { severity: 'warning' } as const;

/** What the rules of data cannot say about `mfa` (docs/specification/sign-in.md#second-factors). */
export const checkFactors: AuthCheck = (written, settings, report, project) => {
  for (const check of checks) check(written, settings, report, project);
};

const checkMethods: AuthCheck = (written, settings, report) => {
  const { mfa } = settings;
  const block = written.mfa;
  if (!mfa.enabled) return;
  const at = (word: string) => (block === undefined ? originOf(written) : originOf(block, word));
  if (mfa.methods.length === 0)
    report('empty-list', 'no factor can be enrolled: `methods` is empty', at('methods'), {
      help: 'Write methods = ["totp"], or remove it.',
    });
  const party = relyingPartyOf(settings);
  if (block !== undefined && mfa.methods.includes('webauthn') && party === undefined) {
    const isMeant = block.methods?.includes('webauthn') === true || block.webauthn !== undefined;
    const lacks = block.webauthn?.rp_id === undefined ? 'for which domain they are' : 'which pages may ask for them';
    if (isMeant)
      report(
        'missing-attribute',
        `passkeys are offered, and nothing says ${lacks}`,
        block.webauthn === undefined ? at('methods') : originOf(block.webauthn),
        {
          help: 'Write auth { base_url = "https://example.test" }, or webauthn { rp_id, rp_origins }, or methods = ["totp"].',
        },
      );
  }
  const wanted = wantedOf(mfa);
  const offered = new Set(mfa.methods.filter((method) => method !== 'webauthn' || party !== undefined));
  if (mfa.methods.length > 0 && wanted > offered.size) {
    const word = mfa.min_factors === wanted ? 'min_factors' : 'require_multiple';
    report(
      'out-of-range',
      `accounts must have ${wanted} factors, and ${offered.size === 1 ? `only ${[...offered].join()}` : 'none'} can be enrolled`,
      at(wanted > 1 ? word : 'required'),
      {
        help: 'Offer more methods (passkeys need base_url or webauthn { rp_id, rp_origins }), or ask for fewer factors.',
      },
    );
  }
};

const checkInert: AuthCheck = (written, { mfa }, report) => {
  const block = written.mfa;
  if (block === undefined) return;
  const inert = (word: string, why: string, help: string) =>
    report('inert-attribute', `\`${word}\` has no effect: ${why}`, originOf(block, word), { ...warning, help });
  const isDemanded = demandsFactors(mfa);
  for (const word of ['grace_period', 'require_multiple', 'min_factors'] as const)
    if (isWritten(block, word) && !isDemanded)
      inert(word, 'no account must have a factor', `Write required or require_for too, or remove ${word}.`);
  if (mfa.require_for.length > 0 && (mfa.required === 'true' || mfa.required === 'false'))
    inert(
      'require_for',
      mfa.required === 'true' ? 'every account must have a factor' : 'no account must have a factor',
      'Write required = "optional", or remove require_for.',
    );
  for (const method of ['totp', 'webauthn'] as const)
    if (block[method] !== undefined && !mfa.methods.includes(method))
      report('inert-block', `${method} is not offered: \`methods\` does not name it`, originOf(block[method]), {
        ...warning,
        help: `Add "${method}" to methods, or remove the block.`,
      });
  const { recovery } = block;
  if (recovery === undefined) return;
  for (const word of ['code_count', 'code_length'] as const)
    if (!mfa.recovery.enabled && isWritten(recovery, word))
      report('inert-attribute', `\`${word}\` has no effect: no recovery codes are made`, originOf(recovery, word), {
        ...warning,
        help: `Remove enabled = false, or ${word}.`,
      });
  if (mfa.recovery.enabled && bitsOf(mfa.recovery.code_length) < leastBits)
    report(
      'unwise-value',
      `a recovery code of ${mfa.recovery.code_length} characters has ${bitsOf(mfa.recovery.code_length)} bits: it is guessed too easily`,
      originOf(recovery, 'code_length'),
      { ...warning, help: 'Write code_length = 8 or more.' },
    );
};

/** Secrets of apps are not left in a database for everyone who can read it. */
const checkSeal: AuthCheck = (written, { mfa, users, jwt }, report) => {
  if (!sealsSecrets(mfa) || users === undefined || (jwt.secret ?? '') !== '') return;
  report(
    'unwise-value',
    'the secrets of authenticator apps are kept as they are: there is no secret to seal them with',
    originOf(written),
    { ...warning, help: 'Write auth { secret = env("AUTH_SECRET") } with 32 random bytes or more.' },
  );
};

/** Whether the secret of the block is read to seal those of authenticator apps. */
export function sealsSecrets({ enabled, methods }: MfaSettings): boolean {
  return enabled && methods.includes('totp');
}

/** Kinds of factors that an account must have. */
function wantedOf(mfa: MfaSettings): number {
  return demandsFactors(mfa) ? Math.max(1, mfa.require_multiple ? 2 : 0, mfa.min_factors) : 0;
}

const checks: readonly AuthCheck[] = [checkMethods, checkInert, checkSeal];

/** `require { mfa }` needs callers who can prove a factor: those of the root block `auth`. */
export const checkStepUp: ProjectRule = (project, report) => {
  const flows = flowsOf(project).filter(({ values }) => values.require?.mfa !== undefined);
  if (flows.length === 0) return;
  const written = project.one('auth', auth);
  const hasFactors = written !== undefined && settingsOf(written).mfa.enabled;
  for (const { name, values } of flows) {
    const { require: gate, from } = values;
    if (gate === undefined) continue;
    const connector = project.connectors.get(from?.connector ?? '');
    const own =
      connector && 'auth' in connector.values ? (connector.values.auth as { type?: string } | undefined) : undefined;
    if (!hasFactors)
      report(
        'unreachable-gate',
        `flow "${name}" requires a second factor, and the service offers no factor`,
        originOf(gate, 'mfa'),
        {
          help:
            written === undefined ? 'Write an auth block, or remove mfa.' : 'Write auth { mfa { } }, or remove mfa.',
        },
      );
    else if (connector !== undefined && own !== undefined && !acceptsSignIn(own))
      report(
        'unreachable-gate',
        `flow "${name}" requires a second factor, and callers of ${titleOf(connector)} prove none`,
        originOf(gate, 'mfa'),
        {
          help: `Remove the auth block of connector "${connector.name}", or write auth { type = "jwt" } in it without a key.`,
        },
      );
  }
};

/** Whether a connector accepts the tokens of the root block: those of type `jwt` without a key of their own do. */
function acceptsSignIn(own: { readonly type?: string }): boolean {
  const written = own as Readonly<Record<string, unknown>>;
  return own.type === 'jwt' && ['secret', 'public_key', 'jwks_url'].every((word) => written[word] === undefined);
}
