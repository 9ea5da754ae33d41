import { duration, flag, int, size, text } from '@svc/protocol/schema';
import { standardPace } from './late-bodies.ts';

/**
 * Limits of the connections of an HTTP server. Connectors that share an address have one server, so that they say the
 * same about them.
 */
export const socketAttributes = {
  read_timeout: duration(
    'Longest time a caller may take to send the head of its request, or a body that comes more slowly than `read_rate`.',
    { default: standardPace.readTimeout, min: 1 },
  ),
  read_rate: size(
    'Bytes of a body that a caller must send a second when `read_timeout` is over: a body that keeps this pace may come for as long as it takes. Time in which the service does not take what has come is not counted.',
    { default: standardPace.readRate, min: 1 },
  ),
  write_timeout: duration('Longest time in which a caller takes no byte of its answer; then the connection is ended.', {
    default: 30_000,
    min: 1,
  }),
  idle_timeout: duration('How long an idle connection is kept for the next request.', { default: 60_000, min: 1 }),
  max_connections: int('Most connections at a time; further ones are closed at once.', { min: 1 }),
};

/** Which protocol the connections of an address speak; connectors that share one say the same about it. */
export const http2Attribute = flag(
  'Serves HTTP/2 too, without TLS and by prior knowledge (RFC 9113, 3.3), at the same port: the first bytes of a connection decide. WebSockets are opened over HTTP/1.1.',
  { default: false },
);

/** The interface of a server. */
export const hostAttribute = text('Address of the interface to listen on; every interface when it is not written.', {
  example: '"127.0.0.1"',
});

/** What every server that answers requests says of them, its port and its paths aside. */
export const requestAttributes = {
  host: hostAttribute,
  timeout: duration('Longest time a request may take to be answered; after it the caller gets 503.', { min: 1 }),
  ...socketAttributes,
  max_body: size('Largest request body, forms with files aside.', { default: 1_048_576, min: 1 }),
  max_upload: size('Largest form with files, all of it together.', { default: 32 * 1024 * 1024, min: 1 }),
  max_in_flight: int('Most requests at a time, under way or waiting for their turn; further ones get 503.', {
    default: 1000,
    min: 1,
  }),
};
