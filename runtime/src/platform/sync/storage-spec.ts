import { block, int, oneOf, text, type Values } from '@svc/protocol/schema';

/** Where blocks keep the state that executions of flows share. */
export const storage = block({
  doc: 'Where the state is kept. Without it: in the memory of this process, lost with it and invisible to others.',
  attributes: {
    driver: oneOf('`redis` shares the state with every process that names the same server.', ['redis', 'memory'], {
      required: true,
      synonyms: { kv_store: 'redis' },
    }),
    url: text('Address of the server; `rediss://` speaks TLS.', {
      secret: true,
      example: '"redis://locks:6379/0"',
      pattern: { source: '^rediss?://', says: 'must begin with redis:// or rediss://' },
    }),
    host: text('Host of the server, when there is no `url`.', { default: 'localhost' }),
    port: int('Port of the server.', { default: 6379, min: 1, max: 65_535 }),
    password: text('Password of the server.', { secret: true }),
    db: int('Number of the database.', { min: 0 }),
  },
  rules: [
    { rule: 'atMostOneOf', names: ['url', 'host'] },
    { rule: 'atMostOneOf', names: ['url', 'port'] },
  ],
  example: 'storage {\n  driver = "redis"\n  url    = env("REDIS_URL")\n}',
});

/** The drivers whose state several processes share. */
export const sharedDrivers = ['redis'] as const;

/** The setting by which several processes share the state, for messages. */
export const sharedStorage = 'driver = "redis"';

/** Whether a block with this `storage` keeps its state in the memory of its process. */
export function isProcessLocal(written: Values<typeof storage> | undefined): boolean {
  return written === undefined || written.driver === 'memory';
}
