import { block, connector, duration, int, list, oneOf, size, text } from '@svc/protocol/schema';
import { isRange } from '../../../../platform/net/addresses/address-range.ts';
import { everyConnector } from '../../../core/spec.ts';
import { algorithms, defaultSignatureHeader, defaultTimestampHeader, headerName } from '../signature-spec.ts';

/** The one operation; a flow need not name it. */
export const received = 'receive';

/** The methods of webhooks. */
export const methods = ['POST', 'PUT'] as const;

const standardPath = '/webhook';

/** `mode = "inbound"`: hears what happened in other services. */
export const webhookInbound = connector({
  type: 'webhook',
  driverWord: 'mode',
  driver: 'inbound',
  driverAliases: ['receive', 'server'],
  canonical: 'webhook',
  kind: 'notify',
  config: block({
    doc: 'Receives webhooks at a path of every `rest` connector of the service, whose limits hold for them. A request is checked before any flow runs, and answered after the flows: 200 when all of them succeeded, and 500 otherwise, so that its sender tries again.',
    attributes: {
      path: text('Path at which webhooks come.', {
        default: standardPath,
        pattern: { source: '^/[A-Za-z0-9._~/-]*$', says: 'must be a path of plain text, such as `/hooks/payments`' },
      }),
      secret: text('Secret that its sender signs with. Without it everybody is believed.', { secret: true }),
      signature_header: headerName('Header of the signature.', defaultSignatureHeader),
      signature_algorithm: oneOf('How senders sign.', algorithms, { default: 'hmac-sha256' }),
      timestamp_header: headerName('Header of the time that was signed with the body.', defaultTimestampHeader),
      timestamp_tolerance: duration('How far that time may be from now.', { default: 300_000, min: 1 }),
      allowed_ips: list(
        'From which addresses webhooks may come. Absent: from any.',
        text('An address or a CIDR range.'),
      ),
      trusted_proxies: list(
        'Networks of proxies that say which address that is, in the header of `client_address` of the service. Default: those of the service.',
        text('An address or a CIDR range.'),
      ),
      timeout: duration('Longest time in which the flows must have ended; then the sender gets 503.', {
        default: 30_000,
        min: 1,
        max: 3_600_000,
      }),
      max_body: size('Largest body.', { default: 1_048_576, min: 1, max: 64 * 1_048_576 }),
      workers: int('Webhooks that are handled at the same time; others wait.', {
        default: 100,
        min: 1,
        max: 1000,
        aliases: ['concurrency'],
      }),
      ...everyConnector.attributes,
    },
    example: `connector "payments" {
  type   = "webhook"
  mode   = "inbound"
  path   = "/hooks/payments"
  secret = env("PAYMENTS_SECRET")
}`,
  }),
  source: {
    operation: 'optional',
    style: 'stream',
    redelivers: true,
    placement: 'every-worker',
    beside: ({ path }) => methods.map((method) => `${method} ${path ?? standardPath}`),
    checkConfig: (config) => {
      for (const name of ['allowed_ips', 'trusted_proxies'])
        for (const each of (config[name] as readonly string[] | undefined) ?? [])
          if (!isRange(each))
            return `"${each}" in ${name} is neither an address ("10.0.0.7") nor a range ("10.0.0.0/8")`;
      return undefined;
    },
    input: {
      id: 'Identifier that the webhook was given when it came.',
      type: 'What happened, from a header such as `X-Webhook-Event`, else from the body; absent where neither says it.',
      source: 'Address of the sender.',
      timestamp: 'When it came, as RFC 3339 writes it.',
      headers: 'Headers by lower-case name.',
      body: 'The decoded body: JSON, the fields of a form, else a text.',
    },
    offers: [received],
    checkOperation: (operation) =>
      operation === received ? undefined : `\`${operation}\` is not an operation of webhooks: write \`${received}\``,
  },
  advise: ({ secret }) =>
    secret === undefined
      ? {
          attribute: 'secret',
          says: 'every request is believed, from every sender',
          help: 'Write the secret that the sender signs with: secret = env("…").',
        }
      : undefined,
});
