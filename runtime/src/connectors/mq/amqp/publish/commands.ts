import type { OperationParameters } from '@svc/protocol/schema';
import type { Verb } from '../../../../foundation/contracts/target.ts';
import { checkHeader, isWithin, properties, propertyNames } from './properties.ts';

/** What flows ask of a broker: to take a message, to take one and answer it, to give one. */
export const commands = ['publish', 'request', 'get'] as const;
export type Command = (typeof commands)[number];

/** Words of databases and other connectors that mean the same, for those who write them by habit. */
const synonyms: Readonly<Record<string, Command>> = {
  send: 'publish',
  write: 'publish',
  insert: 'publish',
  create: 'publish',
  update: 'publish',
  upsert: 'publish',
  delete: 'publish',
  call: 'request',
  read: 'get',
  select: 'get',
};

/** The command that a word means in any case; undefined when it means none. */
export function commandNamed(operation: string): Command | undefined {
  const word = operation.trim().toLowerCase();
  return commands.find((command) => command === word) ?? (Object.hasOwn(synonyms, word) ? synonyms[word] : undefined);
}

/** The command of a call: what is written, else what the flow does. */
export function commandOf(verb: Verb, operation: string | undefined): Command {
  return commandNamed(operation ?? '') ?? (verb === 'read' ? 'get' : 'publish');
}

/** Where a message goes. */
const places = ['exchange', 'routing_key'] as const;
/** What a request says of itself, so that its answer is found. */
const ofRequests: readonly string[] = ['correlation_id', 'reply_to', 'mandatory'];

const published = [...places, 'headers', 'mandatory', ...propertyNames];
const parameters: Readonly<Record<Command, readonly string[]>> = {
  publish: published,
  request: published.filter((name) => !ofRequests.includes(name)),
  get: ['queue'],
};

/** What `params` may say. A step without an operation takes a message; a destination without one sends one. */
export function parametersOf(operation: string | undefined): OperationParameters | undefined {
  const takes = operation === undefined ? [...published, 'queue'] : parameters[commandNamed(operation) ?? 'publish'];
  return { needs: [], takes, check: checkParameter };
}

/** Why a parameter that is the same for every message is malformed. */
function checkParameter(name: string, value: unknown): string | undefined {
  if (value === null) return undefined;
  if (name === 'headers') return checkHeaders(value);
  if (name === 'mandatory') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (name === 'exchange') return checkExchange(value);
  if (name === 'queue' || name === 'routing_key') return checkName(value);
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return property !== undefined && property.read(value) === undefined ? property.says : undefined;
}

function checkHeaders(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  for (const [name, each] of Object.entries(value)) {
    const problem = checkHeader(name, each);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Bytes of a routing key, and of the name of an exchange or queue, in the protocol. */
const longestName = 255;

/** Why a text cannot be a routing key, or the name of an exchange or queue. */
export function checkName(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  return !isWithin(value, longestName) ? `must have at most ${longestName} bytes` : undefined;
}

/** Why a text cannot be the name of an exchange that messages are sent to: the broker writes to its own ones alone. */
export function checkExchange(value: unknown): string | undefined {
  const own = typeof value === 'string' && value.startsWith('amq.rabbitmq.');
  return own ? 'must not be an exchange of the broker itself' : checkName(value);
}

/** Why an operation that no `operation` block declares is malformed. */
export function checkCommand(operation: string): string | undefined {
  if (commandNamed(operation) !== undefined) return undefined;
  return `"${operation}" is neither what a broker can be asked (${commands.join(', ')}) nor an operation of the connector`;
}
