import { block, connector, duration, flag, int, oneOf, size, text } from '@svc/protocol/schema';
import { bodyFormats, escapeFormulas, format } from '../../platform/formats/format-spec.ts';
import { challengedAuthBlock, headersBlock } from '../../platform/net/client/access-spec.ts';
import { circuitBreakerBlock } from '../../platform/net/client/breaker-spec.ts';
import { type HedgeConfig, hedgeBlock } from '../../platform/net/client/hedge-spec.ts';
import { httpForm } from '../../platform/net/spoken/form.ts';
import { tlsBlock } from '../../platform/net/tls-spec.ts';
import { everyConnector, operationAttributes, operationLabel, param } from '../core/spec.ts';
import { carried } from '../core/words-spec.ts';
import { cacheBlock } from './cache/spec.ts';
import { checkOperation, checkTarget, methods } from './target.ts';

/** Repeating what failed (docs/specification/http-client.md#retries). */
export const retryBlock = block({
  doc: 'Repeats requests that reached no server, were not answered in time, or were answered with 5xx, 408, 425 or 429. A POST or PATCH is repeated only when it never left, or carries an Idempotency-Key.',
  attributes: {
    attempts: int('Attempts in all, the first included.', { aliases: ['max_attempts'], min: 1 }),
    delay: duration('Wait before the second attempt; spread by 20 %.', {
      aliases: ['initial_delay'],
      default: 100,
      min: 0,
    }),
    max_delay: duration('Longest wait between attempts.', { default: 30_000, min: 0 }),
    backoff: oneOf('How the wait grows.', ['constant', 'linear', 'exponential'], { default: 'constant' }),
    unsafe: flag('Repeat POST and PATCH too, although the first may have taken effect.', { default: false }),
  },
});

const config = block({
  doc: 'Calls a service over HTTP.',
  attributes: {
    base_url: text('Address that the paths of operations are appended to.', {
      required: true,
      example: '"https://api.example.org/v2"',
      pattern: {
        source: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$',
        says: 'must be an http:// or https:// address without query',
      },
    }),
    timeout: duration('Longest wait for one answer, per attempt.', { default: 30_000, min: 1 }),
    retry_count: int('Attempts in all, when `retry.attempts` is not written.', { default: 1, min: 1 }),
    format: oneOf('How bodies are written.', ['json', 'xml'], { default: 'json' }),
    body_formats: bodyFormats(
      'Formats that answers are read in when their Content-Type says so, beside `format` and that of the step or destination; other texts stay text, and what is not text is a file.',
    ),
    escape_formulas: escapeFormulas,
    http2: flag(
      'Speak HTTP/2 where the peer chooses it during the TLS handshake, else HTTP/1.1 over the same connection.',
      { default: false },
    ),
    max_response: size('Largest answer that is read, also after decompression.', { default: 32 * 1024 * 1024, min: 1 }),
    ...everyConnector.attributes,
  },
  blocks: {
    auth: challengedAuthBlock,
    retry: retryBlock,
    circuit_breaker: circuitBreakerBlock,
    hedge: hedgeBlock,
    cache: cacheBlock,
    tls: tlsBlock,
    headers: headersBlock,
  },
  example: `connector "erp" {
  type     = "http"
  base_url = "https://erp.example.org"
  timeout  = "10s"

  auth {
    type          = "client_credentials"
    token_url     = "https://id.example.org/token"
    client_id     = env("ERP_ID")
    client_secret = env("ERP_SECRET")
  }

  retry {
    attempts = 3
    delay    = "200ms"
    backoff  = "exponential"
  }
}`,
});

const envelope = text('Wraps the payload under this one key.');
const { headers } = carried;
const spoken = { format: format('Codec of the request and of the answer.'), envelope };

/** What the block of a named operation says of how it is sent. */
export interface OperationWords {
  readonly hedge?: HedgeConfig | undefined;
}

/** What reaches the client of the words that a destination or a step writes. */
export const spokenWords = block({ doc: 'How one request is written.', attributes: spoken });

/** What may be written in blocks that name the client. */
const words = {
  to: block({
    doc: 'What a destination says of a request.',
    attributes: { query_filter: carried.query_filter, ...spoken },
    blocks: { headers },
  }),
  step: block({ doc: 'What a step says of a request.', attributes: spoken, blocks: { headers } }),
  enrich: block({ doc: 'What an enrichment says of a request.', blocks: { headers } }),
  batch: block({ doc: 'What a batch says of a request.', attributes: { envelope } }),
} as const;

/** Whether requests to an address are sent over TLS. */
export function isSecure(address: string): boolean {
  return /^https:/i.test(address);
}

/** The `http` client. */
export const http = connector({
  type: 'http',
  driver: 'client',
  defaultDriver: true,
  canonical: 'http',
  kind: 'http',
  speaks: ({ base_url: address }) => httpForm('base_url', address),
  config,
  operation: block({
    doc: 'A request that flows call by name.',
    label: operationLabel,
    repeated: true,
    attributes: {
      ...operationAttributes,
      method: oneOf('Method of the request.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'HEAD', 'OPTIONS'], {
        required: true,
      }),
      path: text('Path below `base_url`; `:name` and `{name}` segments are filled from the data.', {
        required: true,
        example: '"/orders/:id"',
      }),
    },
    blocks: { param, hedge: hedgeBlock },
    rules: [{ rule: 'onlyWhen', name: 'hedge', when: 'method', is: ['GET', 'HEAD', 'OPTIONS', 'QUERY'] }],
  }),
  target: {
    abilities: ['read', 'write', 'call'],
    readsByDefault: true,
    needsOneOf: ['operation', 'target'],
    offers: methods.map((method) => `${method} /`),
    checkOperation,
    checkTarget,
  },
  words,
  advise: ({ http2, base_url: address }) =>
    http2 === true && typeof address === 'string' && !isSecure(address)
      ? {
          attribute: 'http2',
          says: '`http2 = true` needs an https:// address: the peer chooses HTTP/2 during the TLS handshake, which http:// does not have',
          help: 'Write base_url with https://, or remove http2.',
          refuses: true,
        }
      : undefined,
});
