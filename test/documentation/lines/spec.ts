import { block, connector, duration, int, size, text } from '@svc/protocol/schema';
import { everyConnector } from '../../../runtime/src/connectors/core/spec.ts';

/** What both ends say. */
const everyLine = {
  host: text('Address of the interface to listen on, or host of the server.', { default: '127.0.0.1' }),
  token: text('The first line of every connection. A client that does not send it is disconnected.', { secret: true }),
  max_line: size('Largest line; a larger one ends its connection.', { default: 65_536, min: 1, max: 16_777_216 }),
  ...everyConnector.attributes,
};

/** `type = "lines"`, `driver = "server"`: clients send JSON lines over TCP, and each line is answered by one. */
export const linesServer = connector({
  type: 'lines',
  driver: 'server',
  canonical: 'lines_server',
  kind: 'api',
  config: block({
    doc: 'Takes lines of JSON over TCP. The lines of one client are handled one after another.',
    attributes: {
      ...everyLine,
      port: int('Port to listen on.', { required: true, min: 1, max: 65_535 }),
      workers: int('Lines that are handled at the same time.', { default: 10, min: 1, max: 1000 }),
      max_clients: int('Most clients at a time; further ones are disconnected.', { default: 1000, min: 1 }),
      idle_timeout: duration('A connection over which nothing has passed for this long is ended.', {
        default: 300_000,
        min: 1,
      }),
    },
    example: 'connector "scales" {\n  type   = "lines"\n  driver = "server"\n  port   = 7001\n}',
  }),
  source: {
    operation: 'none',
    style: 'stream',
    // The client waits for the answer of the flow. Only the client may send a line again.
    answers: ['*'],
    placement: 'every-worker',
    // Two of them cannot listen on one port.
    coexists: false,
    input: { _raw: 'The line, where it is not a JSON object; the fields of an object are variables themselves.' },
  },
});

/** `type = "lines"`, `driver = "client"`: sends JSON lines to such a server. */
export const linesClient = connector({
  type: 'lines',
  driver: 'client',
  canonical: 'lines_client',
  kind: 'http',
  config: block({
    doc: 'Sends one line of JSON for each call, over a connection of its own, and waits for the line that answers it.',
    attributes: {
      ...everyLine,
      port: int('Port of the server.', { required: true, min: 1, max: 65_535 }),
      timeout: duration('Longest time for one call.', { default: 10_000, min: 1 }),
      max_calls: int('Most calls at a time; a further one fails.', { default: 1000, min: 1 }),
    },
    example: 'connector "printer" {\n  type   = "lines"\n  driver = "client"\n  port   = 9100\n}',
  }),
  target: {
    offers: ['send'],
    abilities: ['write', 'call'],
    needsOneOf: ['operation'],
    checkOperation: (operation) => (operation === 'send' ? undefined : `\`${operation}\` is unknown: write \`send\``),
  },
});
