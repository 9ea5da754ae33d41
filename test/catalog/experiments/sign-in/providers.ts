import { generateKeyPairSync } from 'node:crypto';
import { tlsBlock } from '../../../../runtime/src/platform/net/tls-spec.ts';
import type { Proof } from '../../proof.ts';
import type { Shown } from '../flows.ts';
import type { Story } from './stories.ts';
import { other, tells } from './stories.ts';

const file = 'runtime/src/engine/auth/federated/providers/providers.test.ts';
const at = (title: string): Proof => [file, title];
const openId = at('%s is asked with what is written of it');
const codeHost = at('is asked at the written addresses; its verified primary address and its exact number count');
const device = at('gets a client secret that is signed for it, and posts its answer with the name of the person');
const claims = at('claims of other names are read, kept in the metadata, and a text "true" is true');

const pem = JSON.stringify(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
);
const based = (lines: string) => other(`base_url = "https://a.test"\n ${lines}`);
/** Where a sign-in at the code host begins. */
const sentTo: Story = async (bed) => {
  const { headers } = await bed.ask('social_start', { params: { provider: 'code_host_idp' } });
  const { origin, searchParams } = new URL(headers['location'] ?? '');
  return [origin, searchParams.get('client_id'), searchParams.get('scope')];
};
const host = (lines: string) =>
  based(`social {\n code_host_idp {\n client_id = "a"\n client_secret = "b"\n ${lines}\n }\n }`);

const linking = 'runtime/src/engine/auth/federated/callback.test.ts';
const rule: Proof = [linking, 'rules of linking can refuse what both have verified: %s'];

const verifying = (around: (block: string) => string) =>
  tells(
    based(`oidc "a" {\n issuer = "https://b.test"\n client_id = "c"\n }\n ${around('require_verification = §')}`),
    ['true', 'false'],
    async (bed) => bed.places(),
  );

const byMethod = at('%s by %s');
const overTls = at('is trusted as `tls` says, and shown the certificate that it says');

/** How the client of a block proves itself. */
const clientOf = (block: string): Shown =>
  Object.fromEntries([
    ...['client_auth', 'client_key'].map((name) => [`${block}.${name}`, byMethod] as const),
    ...Object.keys(tlsBlock.attributes).map((name) => [`${block}.tls.${name}`, overTls] as const),
  ]);

/** What is written of identity providers. */
export const providers: Shown = {
  ...clientOf('oidc'),
  ...clientOf('sso.oidc'),
  ...clientOf('social.web_idp'),
  ...clientOf('social.code_host_idp'),
  'oidc.issuer': openId,
  'oidc.client_id': openId,
  'oidc.client_secret': openId,
  'oidc.scopes': openId,
  'oidc.claims': claims,
  'sso.oidc.issuer': openId,
  'sso.oidc.client_id': openId,
  'sso.oidc.client_secret': openId,
  'sso.oidc.scopes': openId,
  'sso.oidc.claims': claims,
  'sso.linking.enabled': rule,
  'sso.linking.match_by': rule,
  'sso.linking.on_match': rule,
  'sso.linking.require_verification': verifying((block) => `sso {\n linking {\n ${block}\n }\n }`),
  'account_linking.enabled': rule,
  'account_linking.match_by': rule,
  'account_linking.on_match': rule,
  'account_linking.require_verification': verifying((block) => `account_linking {\n ${block}\n }`),
  'social.web_idp.client_id': openId,
  'social.web_idp.client_secret': openId,
  'social.web_idp.scopes': openId,
  'social.web_idp.issuer': openId,
  'social.code_host_idp.client_id': tells(
    based('social {\n code_host_idp {\n client_id = §\n client_secret = "b"\n }\n }'),
    ['"a"', '"b"'],
    sentTo,
  ),
  'social.code_host_idp.client_secret': codeHost,
  'social.code_host_idp.scopes': tells(host('scopes = §'), ['["user"]', '["email"]'], sentTo),
  'social.code_host_idp.auth_url': tells(host('auth_url = §'), ['"https://a.test/x"', '"https://b.test/x"'], sentTo),
  'social.code_host_idp.token_url': codeHost,
  'social.code_host_idp.userinfo_url': codeHost,
  'social.code_host_idp.emails_url': codeHost,
  'social.device_idp.client_id': device,
  'social.device_idp.team_id': device,
  'social.device_idp.key_id': device,
  'social.device_idp.private_key': tells(
    based('social {\n device_idp {\n client_id = "a"\n team_id = "b"\n key_id = "c"\n private_key = §\n }\n }'),
    [pem, '"no key"'],
    async (bed) => bed.places(),
  ),
  'social.device_idp.scopes': device,
  'social.device_idp.issuer': device,
};
