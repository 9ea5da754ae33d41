import { originOf } from '@svc/protocol/schema';
import { headerProblem, isFraming } from '../../../platform/net/headers.ts';
import type { AuthCheck } from '../check.ts';
import { addressProblem, isUnencrypted, place } from './address.ts';

const warning = { severity: 'warning' } as const;

/** What the rules of data cannot say about `provider` blocks (docs/specification/sign-in.md#external-providers). */
export const checkExternalProviders: AuthCheck = (written, settings, report, project) => {
  for (const check of checks) check(written, settings, report, project);
};

const checkNames: AuthCheck = (_written, { provider }, report) => {
  for (const block of provider)
    if (block.label === '')
      report('invalid-value', 'a provider has an empty name', originOf(block), {
        help: 'Give it a name: provider "company".',
      });
};

const checkAddresses: AuthCheck = (_written, { provider }, report) => {
  for (const block of provider) {
    // What was refused is absent, though required.
    const { validate, request = {} } = block as Partial<typeof block>;
    if (validate === undefined) continue;
    const problem = addressProblem(validate);
    if (problem !== undefined)
      report('invalid-value', `\`validate\` ${problem}`, originOf(block, 'validate'), {
        help: 'Write an address such as "https://id.example.test/validate?token={token}".',
      });
    else if (isUnencrypted(validate))
      report(
        'unwise-value',
        'credentials of callers are sent to this address unencrypted',
        originOf(block, 'validate'),
        {
          ...warning,
          help: 'Write an address that begins with https://.',
        },
      );
    if (![validate, ...Object.values(request)].some((text) => text.includes(place)))
      report(
        'missing-attribute',
        'the provider is not sent the credential: it would judge every caller by nothing',
        originOf(block, 'validate'),
        { help: 'Write {token} in `validate`, or request = { Authorization = "Bearer {token}" }.' },
      );
  }
};

const checkHeaders: AuthCheck = (_written, { provider }, report) => {
  for (const block of provider) {
    const taken = new Set<string>();
    for (const [name, value] of Object.entries(block.request ?? {})) {
      const lower = name.toLowerCase();
      const problem = isFraming(name)
        ? `the client itself sets the header ${name}`
        : taken.has(lower)
          ? `header ${name} is written twice`
          : headerProblem(name, value);
      if (problem !== undefined)
        report('invalid-value', problem, originOf(block, 'request'), { help: 'Correct or remove it.' });
      taken.add(lower);
    }
  }
};

const checkEffects: AuthCheck = (_written, { provider, mfa }, report) => {
  for (const block of provider) {
    if (block.sync_to !== undefined)
      report(
        'inert-attribute',
        '`sync_to` has no effect: nothing of a caller is kept here',
        originOf(block, 'sync_to'),
        {
          ...warning,
          help: 'Remove it.',
        },
      );
    if (mfa.enabled && mfa.required === 'true')
      report(
        'inert-block',
        `every caller of provider "${block.label}" is refused: a second factor is required, which they cannot enrol here`,
        originOf(block),
        { ...warning, help: 'Write mfa { required = "optional" }, with require_for where some must have one.' },
      );
  }
};

const checks: readonly AuthCheck[] = [checkNames, checkAddresses, checkHeaders, checkEffects];
