import { block, connector, duration, flag, float, int, list, oneOf, text } from '@svc/protocol/schema';
import { headersBlock } from '../../../../platform/net/client/access-spec.ts';
import { everyConnector } from '../../../core/spec.ts';
import { actionWords, sending } from '../../spec.ts';
import { algorithms, defaultSignatureHeader, headerName } from '../signature-spec.ts';
import { outboundFields } from './message.ts';

/** Statuses after which a webhook is sent again where nothing else is written. */
export const repeatedStatuses = [408, 429, 500, 502, 503, 504] as const;

/** How often and after which pauses a webhook is sent again. */
export const usualRetry = { attempts: 3, delay: 1_000, max_delay: 30_000, multiplier: 2 } as const;

const retry = block({
  doc: 'Repeats what was not taken: identifier and body are the same with every try, which is signed with its own time. What failed without an answer is repeated too. Waits are spread by 20 %, and a `Retry-After` of the receiver is honoured, up to 30 seconds.',
  attributes: {
    attempts: int('Attempts in all, the first included.', {
      aliases: ['max_attempts'],
      default: usualRetry.attempts,
      min: 1,
      max: 100,
    }),
    delay: duration('Wait before the second attempt.', {
      aliases: ['initial_delay'],
      default: usualRetry.delay,
      min: 0,
      max: 3_600_000,
    }),
    max_delay: duration('Longest wait between attempts.', { default: usualRetry.max_delay, min: 0, max: 3_600_000 }),
    multiplier: float('By how much each wait is longer than the one before.', {
      default: usualRetry.multiplier,
      min: 1,
      max: 100,
    }),
    retryable_statuses: list('Statuses after which it is sent again.', int('A status.', { min: 300, max: 599 }), {
      default: repeatedStatuses,
    }),
  },
  example: 'retry {\n  attempts   = 5\n  delay      = "2s"\n  multiplier = 2.0\n}',
});

const address = {
  source: '^https?://[^\\s/?#@]+([/?][^\\s#]*)?$',
  says: 'must be an http:// or https:// address without credentials',
} as const;

/** `mode = "outbound"`: tells other services what happened here. */
export const webhookOutbound = connector({
  type: 'webhook',
  driverWord: 'mode',
  driver: 'outbound',
  driverAliases: ['send', 'client'],
  defaultDriver: true,
  canonical: 'webhook',
  kind: 'notify',
  config: block({
    doc: 'Sends webhooks: a request for each message, signed, and again until it is taken.',
    attributes: {
      url: text('Where webhooks are sent.', {
        required: true,
        secret: true,
        pattern: address,
        example: '"https://partner.example.org/hooks"',
      }),
      method: oneOf('How they are sent.', ['POST', 'PUT'], { default: 'POST' }),
      secret: text('Secret that bodies are signed with, known to the receiver too. Without it they are not signed.', {
        secret: true,
      }),
      signature_header: headerName('Header of the signature.', defaultSignatureHeader),
      signature_algorithm: oneOf('How bodies are signed.', [...algorithms, 'none'], { default: 'hmac-sha256' }),
      include_timestamp: flag(
        'Sign the time too, in the header `X-Webhook-Timestamp`, so that a receiver can refuse what is sent again later.',
        { default: true },
      ),
      timeout: duration('Longest wait for one answer, per attempt.', { default: 30_000, min: 1, max: 3_600_000 }),
      allowed_hosts: list(
        'Hosts, addresses and ranges of addresses inside of the own network that `url` of a message may name. That of the connector always may.',
        text('A host, an address or a CIDR range.'),
      ),
      ...everyConnector.attributes,
    },
    blocks: { retry, headers: headersBlock },
    example: `connector "partner" {
  type   = "webhook"
  url    = "https://partner.example.org/hooks/orders"
  secret = env("PARTNER_SECRET")

  retry {
    attempts = 5
  }
}`,
  }),
  words: actionWords,
  target: sending(outboundFields),
});
