import { block, type ConnectorAdvice, type ConnectorValues, duration, reference, text } from '@svc/protocol/schema';
import { tlsBlock } from '../../platform/net/tls-spec.ts';
import { addressProblem, issuerProblem } from '../../platform/oidc/address-rules.ts';
import { everyConnector } from '../core/spec.ts';

/** What the blocks of all drivers say. */
export const everyProvider = {
  redirect_uri: text(
    'Where the provider sends browsers back to, exactly as it is registered there: a route of this service whose flow asks for `callback`.',
    {
      required: true,
      pattern: { source: '^https?://', says: 'must start with https:// (http:// only for this machine)' },
      example: '"https://shop.example.test/accounts/callback"',
    },
  ),
  storage: reference(
    'The cache connector that keeps what `authorize` began, so that another process can end it. Absent: the memory of the process.',
    'storage',
  ),
  timeout: duration('Longest wait for each answer of the provider.', { default: 10_000, min: 1, max: 600_000 }),
  ...everyConnector.attributes,
} as const;

export const providerBlocks = { tls: tlsBlock } as const;

/** What code of all drivers reads. */
export const anyProvider = block({
  doc: 'What every provider says.',
  attributes: everyProvider,
  blocks: providerBlocks,
});

/** The name that `callback` answers as `provider`. */
export const providerName = <const S extends string>(standard: S) =>
  text('What `callback` answers as `provider`.', { default: standard });

const addresses = ['redirect_uri', 'auth_url', 'token_url', 'userinfo_url', 'emails_url'] as const;

/** What the rules of data cannot say: addresses that secrets, tokens and codes must not be sent to, and a key that cannot be one. */
export function adviseProvider(config: ConnectorValues): ConnectorAdvice | undefined {
  for (const attribute of addresses) {
    const written = config[attribute];
    const problem = typeof written === 'string' ? addressProblem(written) : undefined;
    if (problem !== undefined) return refuse(attribute, problem, 'Write an address that begins with https://.');
  }
  const { issuer, private_key: key } = config;
  const problem = typeof issuer === 'string' ? issuerProblem(issuer) : undefined;
  if (problem !== undefined)
    return refuse('issuer', problem, 'Write the issuer as the provider names it, such as "https://id.example.test".');
  // The curve is looked at when the service starts: what editors run has no cryptography.
  if (typeof key === 'string' && !/-----BEGIN (EC )?PRIVATE KEY-----/.test(key))
    return refuse('private_key', 'is not a private key in PEM', 'Write private_key = file("keys/AuthKey.p8").');
  return undefined;
}

function refuse(attribute: string, problem: string, help: string): ConnectorAdvice {
  return { attribute, says: `\`${attribute}\` ${problem}`, help, refuses: true };
}
