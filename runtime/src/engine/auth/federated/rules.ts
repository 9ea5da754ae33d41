import { isWritten, originOf } from '@svc/protocol/schema';
import { clientProblem } from '../../../platform/net/oauth/spec.ts';
import { addressProblem, issuerProblem } from '../../../platform/oidc/address-rules.ts';
import { ownMethods } from '../accounts/complete.ts';
import type { AuthCheck } from '../check.ts';

/** What the rules of data cannot say about `social`, `oidc` and `sso` (docs/specification/sign-in.md#identity-providers). */
export const checkProviders: AuthCheck = (written, settings, report, project) => {
  for (const check of checks) check(written, settings, report, project);
};

const checkAddress: AuthCheck = (written, { social, oidc, base_url: base }, report) => {
  const hasProviders = social !== undefined || oidc.length > 0;
  if (hasProviders && base === undefined)
    report(
      'missing-attribute',
      'identity providers send browsers back to this service, and nothing says where it is',
      originOf(written, social === undefined ? 'oidc' : 'social'),
      { help: 'Write auth { base_url = "https://example.test" }, the address that people see.' },
    );
  const { account_linking: own, sso } = written;
  if (own !== undefined && sso?.linking !== undefined)
    report('conflicting-attributes', '`account_linking` and `sso { linking }` are the same block', originOf(own), {
      help: 'Remove one of them.',
    });
  const linking = own ?? sso?.linking;
  if (linking !== undefined && !hasProviders)
    report('inert-block', 'there is no identity provider whose identities could be linked', originOf(linking), {
      help: 'Add an oidc or social block, or remove the rules of linking.',
    });
  if (social !== undefined && Object.values(social).every((block) => block === undefined))
    report('inert-block', '`social` names no provider', originOf(written, 'social'), {
      help: 'Write web_idp, code_host_idp or device_idp in it, or remove it.',
    });
};

const checkIssuers: AuthCheck = (_written, { social, oidc }, report) => {
  const { web_idp: web, code_host_idp: host, device_idp: device } = social ?? {};
  for (const block of [web, device, ...oidc]) {
    const problem = block && issuerProblem(block.issuer);
    if (block !== undefined && problem !== undefined)
      report('invalid-value', `\`issuer\` ${problem}`, originOf(block, 'issuer'), {
        help: 'Write the issuer as the provider names it, such as "https://id.example.test".',
      });
  }
  for (const word of ['auth_url', 'token_url', 'userinfo_url', 'emails_url'] as const) {
    const problem = host && addressProblem(host[word]);
    if (host !== undefined && problem !== undefined)
      report('invalid-value', `\`${word}\` ${problem}`, originOf(host, word), {
        help: 'Write an address that begins with https://.',
      });
  }
};

const checkClients: AuthCheck = (_written, { social, oidc }, report) => {
  for (const block of [social?.web_idp, social?.code_host_idp, ...oidc]) {
    const problem = block && clientProblem(block, block.tls);
    if (block !== undefined && problem !== undefined)
      report('invalid-value', problem.says, originOf(block, problem.attribute), { help: problem.help });
  }
};

const checkNames: AuthCheck = (_written, { social, oidc }, report) => {
  const taken = new Set(
    Object.keys(social ?? {}).filter((name) => social?.[name as keyof typeof social] !== undefined),
  );
  for (const block of oidc) {
    const { label } = block;
    if (!/^[a-z0-9][a-z0-9_-]{0,62}$/i.test(label) || ownMethods.has(label) || label === 'callback')
      report('invalid-value', `"${label}" cannot be the name of an identity provider`, originOf(block), {
        help: `Use letters, digits, - and _, and none of ${[...ownMethods, 'callback'].map((name) => `"${name}"`).join(', ')}: it is a part of addresses.`,
      });
    if (taken.has(label))
      report('duplicate-name', `two identity providers have the name "${label}"`, originOf(block), {
        help: 'Give one of them another name.',
      });
    taken.add(label);
  }
};

/** The curve is looked at when the service starts: what editors run has no cryptography. */
const checkDeviceKey: AuthCheck = (_written, { social }, report) => {
  const device = social?.device_idp;
  if (device === undefined || /-----BEGIN (EC )?PRIVATE KEY-----/.test(device.private_key)) return;
  report('invalid-value', '`private_key` is not a private key in PEM', originOf(device, 'private_key'), {
    help: 'Write private_key = file("keys/AuthKey.p8").',
  });
};

const checkCallbacks: AuthCheck = ({ endpoints }, _settings, report) => {
  for (const word of ['social_callback', 'sso_callback'] as const) {
    const block = endpoints?.[word];
    if (block?.method === undefined || block.method === 'GET' || !isWritten(block, 'method')) continue;
    report('inert-attribute', `providers send browsers to ${word} by GET`, originOf(block, 'method'), {
      help: 'Remove method; the provider that posts its answer is served besides.',
    });
  }
};

const checks: readonly AuthCheck[] = [
  checkAddress,
  checkIssuers,
  checkClients,
  checkNames,
  checkDeviceKey,
  checkCallbacks,
];
