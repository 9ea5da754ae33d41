import { block, duration, flag, float, int, list, oneOf, reference, text } from '@svc/protocol/schema';
import { workflow } from '../workflows/service-spec.ts';

const rateLimit = block({
  doc: 'Limits requests by token buckets. Written, it holds in every environment; otherwise in staging and production.',
  attributes: {
    enabled: flag('false turns limiting off.', { default: true }),
    requests_per_second: float('Tokens that come back per second.', { default: 100, min: 0.001 }),
    burst: int('Size of a bucket.', { default: 200, min: 1 }),
    key_extractor: text('What has a bucket of its own: `ip`, `header:<name>`, `query:<name>` or `combined:<a>,<b>`.', {
      default: 'ip',
      pattern: {
        source: '^(ip|header:.+|query:.+|combined:.+)$',
        says: 'must be ip, header:<name>, query:<name> or combined:<a>,<b>',
      },
    }),
    exclude_paths: list('Beginnings of paths that are never limited.', text('Beginning of a path.'), {
      default: ['/health', '/metrics'],
    }),
    enable_headers: flag('Adds X-RateLimit-* headers to answers.', { default: true }),
    storage: reference(
      'Cache connector that all processes share; without it each process limits on its own.',
      'storage',
    ),
    scope: oneOf('`process` accepts that each worker limits on its own.', ['process']),
  },
});

const shutdown = block({
  doc: 'How the service ends.',
  attributes: {
    delay: duration('Answers go on this long after readiness turned red; 0 in development, 5 s elsewhere.'),
    timeout: duration('Longest time that work under way may take.', { default: 30_000, min: 1 }),
  },
});

/** The `service` block; several are folded field by field. */
export const service = block({
  doc: 'Settings of the service as a whole.',
  repeated: true,
  attributes: {
    name: text('Name in health, metrics and logs.', { default: 'svc-service' }),
    version: text('Version in health and metrics.', { default: '0.0.0' }),
    admin_port: int('Port of the admin server; 0 lets the system choose.', { default: 9090, min: 0, max: 65_535 }),
    admin_host: text(
      'Address of the interface that the admin server listens on; every interface when it is not written.',
      {
        example: '"127.0.0.1"',
      },
    ),
    trusted_proxies: list('Networks whose X-Forwarded-For is believed.', text('An address or a CIDR range.'), {
      default: [],
    }),
  },
  blocks: { rate_limit: rateLimit, shutdown, workflow },
  example: 'service {\n  name    = "orders"\n  version = "1.0.0"\n}',
});
