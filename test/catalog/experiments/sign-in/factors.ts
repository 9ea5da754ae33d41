import { enrolled, outcome, waiting } from '../../../../runtime/src/engine/auth/factors/testing/app.ts';
import type { AuthBed } from '../../../../runtime/src/engine/auth/testing/bed.ts';
import { ana, goodPassword } from '../../../../runtime/src/engine/auth/testing/bed.ts';
import type { Shown } from '../flows.ts';
import { flags, minute, other, type Story, tells, times } from './stories.ts';

const mfa = (lines: string) => other(`mfa {\n ${lines}\n }`);
const totp = (lines: string) => mfa(`totp {\n ${lines}\n }`);
const recovery = (lines: string) => mfa(`recovery {\n ${lines}\n }`);

/** What a new account, and one with a role, reads at its sign-in, and whether it may do anything. */
const duties: Story = async (bed) => {
  const seen = [];
  for (const role of ['admin', 'clerk']) {
    const email = `${role}@example.test`;
    const { body } = await bed.register(email);
    await bed.system.accounts.update(body.user.id, { roles: [role] }, 0);
    seen.push(await dutyOf(bed, email));
  }
  return seen;
};

async function dutyOf(bed: AuthBed, email: string) {
  const { status, body } = await bed.login(goodPassword, { email });
  const { mfa_enrolment_required: required, mfa_factors_wanted: wanted, mfa_factors_held: held } = body;
  const me = outcome(await bed.ask('me', { token: body.access_token }));
  return [status, required, wanted, held, body.mfa_grace_until, me];
}

/** What a person with an app reads. */
const heldDuty: Story = async (bed) => {
  const { app } = await enrolled(bed);
  bed.clock.pass(app.period * 1_000);
  const { body } = await bed.login(goodPassword, { body: { mfa_code: app.code() } });
  return [body.mfa_factors_wanted, body.mfa_factors_held, outcome(await bed.ask('me', { token: body.access_token }))];
};

/** The address that an app reads, without the secret. */
const addressed: Story = async (bed) => {
  const { access_token: token } = (await bed.register()).body;
  const { body } = await bed.ask('mfa_setup', { token, body: { password: goodPassword } });
  return String(body.provisioning_uri).replace(/secret=\w+/, '');
};

/** Which codes are accepted: of the present period and of those around it. */
const accepted: Story = async (bed) => {
  const { app } = await enrolled(bed);
  bed.clock.pass(10 * minute);
  const seen = [];
  for (const periods of [-2, -1, 0, 1, 2]) {
    const body = { mfa_token: await waiting(bed), code: app.code(periods) };
    seen.push((await bed.ask('mfa_verify', { body })).status);
  }
  return [app.code().length, app.period, seen];
};

const given: Story = async (bed) => {
  const { recoveryCodes } = await enrolled(bed);
  const [first] = recoveryCodes;
  const recovered = await bed.ask('mfa_recovery', {
    body: { email: ana, password: goodPassword, code: first ?? 'AAAA-AAAA' },
  });
  return [recoveryCodes.map(({ length }) => length), outcome(recovered)];
};

/** What is written of `mfa`. */
export const factors: Shown = {
  'mfa.required': tells(mfa('required = §\n grace_period = "0s"'), ['"true"', '"admin_only"'], duties),
  'mfa.require_for': tells(mfa('require_for = §\n grace_period = "0s"'), ['["admin"]', '["clerk"]'], duties),
  'mfa.methods': tells(mfa('methods = §'), ['["totp"]', '["webauthn"]'], async (bed) => bed.places()),
  'mfa.grace_period': tells(mfa('required = "true"\n grace_period = §'), times, duties),
  'mfa.require_multiple': tells(
    mfa(
      'required = "true"\n grace_period = "0s"\n webauthn {\n rp_id = "a.test"\n rp_origins = ["https://a.test"]\n }\n require_multiple = §',
    ),
    flags,
    heldDuty,
  ),
  'mfa.min_factors': tells(
    mfa(
      'required = "true"\n grace_period = "0s"\n webauthn {\n rp_id = "a.test"\n rp_origins = ["https://a.test"]\n }\n min_factors = §',
    ),
    ['1', '2'],
    heldDuty,
  ),
  'mfa.challenge_ttl': tells(mfa('challenge_ttl = §'), times, async (bed) => {
    const { app } = await enrolled(bed);
    const token = await waiting(bed);
    bed.clock.pass(15 * minute);
    return outcome(await bed.ask('mfa_verify', { body: { mfa_token: token, code: app.code() } }));
  }),
  'mfa.totp.issuer': tells(totp('issuer = §'), ['"A"', '"B"'], addressed),
  'mfa.totp.digits': tells(totp('digits = §'), ['6', '8'], accepted),
  'mfa.totp.period': tells(totp('period = §'), ['30', '60'], accepted),
  'mfa.totp.algorithm': tells(totp('algorithm = §'), ['"SHA1"', '"SHA256"'], addressed),
  'mfa.totp.skew': tells(totp('skew = §'), ['0', '2'], accepted),
  'mfa.recovery.enabled': tells(recovery('enabled = §'), flags, given),
  'mfa.recovery.code_count': tells(recovery('code_count = §'), ['5', '8'], given),
  'mfa.recovery.code_length': tells(recovery('code_length = §'), ['8', '12'], given),
};
