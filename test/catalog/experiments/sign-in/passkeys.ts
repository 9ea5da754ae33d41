import { SoftwareAuthenticator } from '../../../../runtime/src/engine/auth/factors/passkeys/testing/authenticator.ts';
import { goodPassword } from '../../../../runtime/src/engine/auth/testing/bed.ts';
import type { Shown } from '../flows.ts';
import { other, type Story, tells } from './stories.ts';

const webauthn = (lines: string) => other(`base_url = "https://a.test"\n mfa {\n webauthn {\n ${lines}\n }\n }`);

/** What a browser is given, and whether a passkey made on a page of one origin, without a PIN, is taken. */
const enrols: Story = async (bed) => {
  const { access_token: token } = (await bed.register()).body;
  const { publicKey } = (await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } })).body;
  const { rp, attestation, authenticatorSelection, timeout } = publicKey;
  const credential = new SoftwareAuthenticator('https://a.test').create(publicKey, { userVerified: false });
  const { status } = await bed.ask('webauthn_register_finish', { token, body: { credential } });
  return [rp, attestation, authenticatorSelection, timeout, status];
};

/** What is written of `mfa { webauthn }`. */
export const passkeys: Shown = {
  'mfa.webauthn.rp_id': tells(webauthn('rp_id = §'), ['"a.test"', '"b.test"'], enrols),
  'mfa.webauthn.rp_name': tells(webauthn('rp_name = §'), ['"A"', '"B"'], enrols),
  'mfa.webauthn.rp_origins': tells(webauthn('rp_origins = §'), ['["https://a.test"]', '["https://b.test"]'], enrols),
  'mfa.webauthn.attestation': tells(webauthn('attestation = §'), ['"none"', '"direct"'], enrols),
  'mfa.webauthn.user_verification': tells(webauthn('user_verification = §'), ['"preferred"', '"required"'], enrols),
  'mfa.webauthn.timeout': tells(webauthn('timeout = §'), ['60000', '120000'], enrols),
};
