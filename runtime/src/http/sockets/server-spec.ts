import { duration, int } from '@svc/protocol/schema';

/**
 * Limits of the connections of an HTTP server. Connectors that share an address have one server, so that they say the
 * same about them.
 */
export const socketAttributes = {
  read_timeout: duration('Longest time a caller may take to send its request.', { default: 15_000, min: 1 }),
  write_timeout: duration('Longest time in which a caller takes no byte of its answer; then the connection is ended.', {
    default: 30_000,
    min: 1,
  }),
  idle_timeout: duration('How long an idle connection is kept for the next request.', { default: 60_000, min: 1 }),
  max_connections: int('Most connections at a time; further ones are closed at once.', { min: 1 }),
};
