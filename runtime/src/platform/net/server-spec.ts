import { duration, int, size, text } from '@svc/protocol/schema';

/** `url` of a server whose address has one of these schemes; `doc` says what its parts mean. */
export const serverUrl = (schemes: readonly string[], doc: string, example: string) =>
  text(doc, {
    secret: true,
    pattern: {
      source: `^(${schemes.join('|')})://`,
      says: `must begin with ${schemes
        .map((scheme) => `${scheme}://`)
        .join(', ')
        .replace(/, (?=[^,]*$)/, ' or ')}`,
    },
    example: `"${example}"`,
  });

/** The attributes that say where a broker is and who connects. `ports` has the standard ones, for people. */
export const brokerAddress = (ports: string, user: string) => ({
  host: text('Host of the broker; `localhost` when absent.'),
  port: int(`Port of the broker; ${ports} when absent.`, { min: 1, max: 65_535 }),
  ...signIn(`; \`${user}\` when absent.`),
});

/** The attributes that say who connects; `standard` ends the sentence. */
export const signIn = (standard = '.') => ({
  username: text(`Who connects${standard}`, { aliases: ['user'] }),
  password: text(`Password of the user${standard}`, { secret: true }),
});

/** How often both ends of a connection show that they work. Protocols count it in seconds of 16 bits. */
export const heartbeat = (standard: number) =>
  duration('How often both sides show that they are there; 0 switches it off.', {
    default: standard,
    min: 0,
    max: 65_535_000,
  });

/** `max_message`, in bytes. */
export const maxMessage = (doc: string, standard: number, max: number) =>
  size(doc, { default: standard, min: 1024, max });

/** How a lost connection is made again; `reconnectingOf` reads it. */
export const reconnectAttributes = {
  reconnect_delay: duration(
    'Wait before the first attempt to connect again, give or take a fifth. Later ones grow up to 30 seconds, also where a connection is lost sooner than was waited for it; with `max_reconnects` all are equal.',
    { default: 5000, min: 1 },
  ),
  max_reconnects: int(
    'Failed attempts in a row after which no further one is made, and the connector is unhealthy until the service starts again. Without it there is always a further one.',
    { min: 0 },
  ),
};
