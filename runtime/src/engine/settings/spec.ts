import { block, duration, flag, float, int, list, oneOf, reference, text } from '@svc/protocol/schema';
import { workflow } from '../workflows/api/service-spec.ts';

const rateLimit = block({
  doc: 'Limits requests by token buckets. When written, it applies in every environment; otherwise in staging and production.',
  attributes: {
    enabled: flag('false turns limiting off.', { default: true }),
    requests_per_second: float('Tokens that are added per second.', { default: 100, min: 0.001 }),
    burst: int('Size of a bucket.', { default: 200, min: 1 }),
    key_extractor: text('The key of a bucket: `ip`, `header:<name>`, `query:<name>` or `combined:<a>,<b>`.', {
      default: 'ip',
      pattern: {
        source: '^(ip|header:.+|query:.+|combined:.+)$',
        says: 'must be ip, header:<name>, query:<name> or combined:<a>,<b>',
      },
    }),
    exclude_paths: list('Prefixes of paths that are never limited.', text('Prefix of a path.'), {
      default: ['/health', '/metrics'],
    }),
    enable_headers: flag('Adds X-RateLimit-* headers to answers.', { default: true }),
    storage: reference(
      'Cache connector that all processes share; without it each process limits separately.',
      'storage',
    ),
    scope: oneOf('`process` accepts that each worker limits separately.', ['process']),
  },
});

const shutdown = block({
  doc: 'How the service ends.',
  attributes: {
    delay: duration(
      'How long requests are still answered after readiness has turned red; 0 in development, 5 s elsewhere.',
    ),
    timeout: duration('Longest time that work in progress may take.', { default: 30_000, min: 1 }),
  },
});

/** What a service is called whose configuration says nothing of it. */
export const standardName = 'svc-service';

/** The `service` block; several are folded field by field. */
export const service = block({
  doc: 'Settings of the service as a whole.',
  repeated: true,
  attributes: {
    name: text(
      'Name in health, metrics and logs, and of what the service keeps at servers that other services use too: each has its own name.',
      { default: standardName },
    ),
    version: text('Version in health and metrics.', { default: '0.0.0' }),
    admin_port: int('Port of the admin server; 0 lets the system choose.', { default: 9090, min: 0, max: 65_535 }),
    admin_host: text('Address of the interface that the admin server listens on; every interface by default.', {
      example: '"127.0.0.1"',
    }),
    trusted_proxies: list(
      'Networks of proxies that are trusted to name the address of their caller.',
      text('An address or a CIDR range.'),
      { default: [] },
    ),
    client_address: oneOf(
      'The one header in which trusted proxies name it; no other is read.',
      ['x-forwarded-for', 'forwarded', 'x-real-ip'],
      { default: 'x-forwarded-for' },
    ),
  },
  blocks: { rate_limit: rateLimit, shutdown, workflow },
  example: 'service {\n  name    = "orders"\n  version = "1.0.0"\n}',
});
