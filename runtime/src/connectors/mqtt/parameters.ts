import { parseDuration } from '@svc/protocol/model';
import type { OperationParameters } from '@svc/protocol/schema';
import type { IClientPublishOptions } from 'mqtt';
import { Failure } from '../../foundation/errors/failure.ts';
import { textProblem } from './characters.ts';
import { checkTopic } from './topics.ts';

/** What `params` give one message, in every version of the protocol. */
const everywhere = ['qos', 'retain'] as const;
/** What they give with version 5. */
export const ofVersion5 = ['headers', 'expiration', 'response_topic', 'correlation_data'] as const;

/** Characters of the name of a header that a failure quotes. */
const longestShown = 100;
/** Bytes of all user properties of a message. */
const mostBytes = 64 * 1024;

type Fields = Readonly<Record<string, unknown>>;
type Properties = NonNullable<IClientPublishOptions['properties']>;

/** Why a value is not what a parameter takes, by the name of the parameter; undefined: it is. */
const problems: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  qos: (value) => (qualityIn(value) === undefined ? 'must be 0, 1 or 2' : undefined),
  retain: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  headers: (value) =>
    typeof value === 'object' && !Array.isArray(value) && !(value instanceof Uint8Array)
      ? undefined
      : 'must be an object',
  expiration: (value) => (secondsIn(value) === undefined ? 'must be a duration, such as 30 or "5m"' : undefined),
  response_topic: (value) => (typeof value === 'string' ? topicProblem(value) : 'must be one topic'),
  correlation_data: (value) =>
    typeof value === 'string' || value instanceof Uint8Array ? undefined : 'must be a text or bytes',
};

/** What `params` may say of a message. */
export const publishParameters: OperationParameters = {
  needs: [],
  takes: [...everywhere, ...ofVersion5],
  check: (name, value) => (value === null ? undefined : problems[name]?.(value)),
};

/** What one message says of how it is sent. */
export interface MessageParameters {
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
  /** Those of version 5. */
  readonly properties: Properties;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** Reads the parameters of one message. Throws `value_refused` for one that is malformed, or is not of this version. */
export function parametersIn(params: unknown, usual: { qos: number; protocol_version: string }): MessageParameters {
  const given = (Array.isArray(params) ? {} : (params ?? {})) as Fields;
  const { qos, retain, headers, expiration, response_topic, correlation_data } = given;
  for (const name of publishParameters.takes) {
    const value = given[name];
    if (value === undefined || value === null) continue;
    const problem = problems[name]?.(value) ?? versionProblem(name, usual.protocol_version);
    if (problem !== undefined) throw new Failure('value_refused', `params: ${name} ${problem}`);
  }
  const seconds = expiration === undefined || expiration === null ? undefined : secondsIn(expiration);
  return {
    qos: (qos === undefined || qos === null ? usual.qos : qualityIn(qos)) as 0 | 1 | 2,
    retain: retain === true,
    properties: {
      ...(seconds !== undefined && { messageExpiryInterval: seconds }),
      ...(typeof response_topic === 'string' && { responseTopic: response_topic }),
      ...(correlation_data !== undefined &&
        correlation_data !== null && { correlationData: Buffer.from(correlation_data as string | Uint8Array) }),
    },
    headers: headersIn((headers ?? {}) as Fields),
  };
}

/** Why a parameter cannot be sent with this version of the protocol. */
export function versionProblem(name: string, version: unknown): string | undefined {
  if (version === '5' || !(ofVersion5 as readonly string[]).includes(name)) return undefined;
  return 'exists in version 5 of the protocol: write protocol_version = "5"';
}

function topicProblem(topic: string): string | undefined {
  const problem = checkTopic(topic);
  return problem && `must be one topic: ${problem}`;
}

/** User properties: texts, and lists of texts for a name that comes several times. What is null, or an empty list, is left out. */
function headersIn(headers: Fields): Readonly<Record<string, string | string[]>> {
  const sent: Record<string, string | string[]> = Object.create(null);
  let bytes = 0;
  const text = (name: string, value: unknown): string => {
    const isText = ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
    const written = isText ? String(value) : '';
    bytes += Buffer.byteLength(name) + Buffer.byteLength(written);
    if (!isText || bytes > mostBytes)
      throw new Failure('value_refused', `params: headers are texts, of at most ${mostBytes} bytes together`);
    const problem = textProblem(name, 'a name') ?? textProblem(written, 'a value');
    if (problem !== undefined)
      throw new Failure('value_refused', `params: headers: ${JSON.stringify(name.slice(0, longestShown))}: ${problem}`);
    return written;
  };
  for (const [name, value] of Object.entries(headers))
    if (value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0))
      sent[name] = Array.isArray(value) ? value.map((each) => text(name, each)) : text(name, value);
  return sent;
}

function qualityIn(value: unknown): 0 | 1 | 2 | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return number === 0 || number === 1 || number === 2 ? number : undefined;
}

/** Whole seconds of a duration, as many as the protocol knows; undefined for anything else. */
function secondsIn(value: unknown): number | undefined {
  const written = typeof value === 'bigint' ? Number(value) : value;
  const lifetime = typeof written === 'number' || typeof written === 'string' ? parseDuration(written) : undefined;
  if (lifetime === undefined || lifetime < 0) return undefined;
  const seconds = Math.ceil(lifetime / 1000);
  return seconds < 2 ** 32 ? seconds : undefined;
}
