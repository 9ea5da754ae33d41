import type { ConnectorValues, OperationParameters } from '@svc/protocol/schema';
import type { Verb } from '../../../foundation/contracts/target.ts';
import { namesIn } from '../../core/key-pattern.ts';
import { lifetimeOf, lifetimeSays, wholeNumber, wholeNumberSays } from '../../core/values.ts';

/** What flows ask of a cache. */
export const commands = ['get', 'set', 'exists', 'ttl', 'increment', 'delete'] as const;
export type Command = (typeof commands)[number];

/** Words of databases that mean the same, for those who write them by habit. */
const synonyms: Readonly<Record<string, Command>> = {
  select: 'get',
  read: 'get',
  insert: 'set',
  create: 'set',
  update: 'set',
  upsert: 'set',
};

const ofVerb: Readonly<Record<Verb, Command>> = {
  read: 'get',
  call: 'get',
  create: 'set',
  update: 'set',
  delete: 'delete',
};

/** Parameters of the commands besides the key. */
const parameters: Readonly<Record<Command, readonly string[]>> = {
  get: [],
  set: ['value', 'ttl'],
  exists: [],
  ttl: [],
  increment: ['by', 'ttl', 'limit'],
  delete: [],
};

/** What the parameters are. */
const docs: Readonly<Record<string, string>> = {
  key: 'Key of the entry, a text or a number.',
  value: 'What is stored, as JSON; the payload when absent.',
  ttl: 'How long the entry is kept, such as 30 or "5m"; that of the operation or the connector when absent. A counter that exists keeps its time.',
  by: 'What is added, a whole number; 1 when absent.',
  limit: 'What the counter may not exceed: the answer is `{value, allowed}`, and nothing is added beyond it.',
};

/** The command that a word means in any case; undefined when it means none. */
export function commandNamed(operation: string): Command | undefined {
  const word = operation.trim().toLowerCase();
  return commands.find((command) => command === word) ?? (Object.hasOwn(synonyms, word) ? synonyms[word] : undefined);
}

/** What a verb asks for where no command is written. */
export function commandOf(verb: Verb): Command {
  return ofVerb[verb];
}

/** What `params` may say. A named operation makes the key, from parameters among others. */
export function parametersOf(
  operation: string | undefined,
  named: ConnectorValues | undefined,
): OperationParameters | undefined {
  const command = commandNamed(operation ?? 'get');
  if (command === undefined) return undefined;
  const pattern = named?.['key_pattern'];
  return typeof pattern === 'string'
    ? {
        needs: [],
        takes: [...namesIn(pattern), ...parameters[command]],
        docs: inPattern(pattern),
        check: checkParameter,
      }
    : { needs: ['key'], takes: parameters[command], byTarget: 'key', docs, check: checkParameter };
}

/** A command may take a parameter that the pattern names too: both are the one value. */
function inPattern(pattern: string): Readonly<Record<string, string>> {
  const parts = namesIn(pattern).map((name) => [name, `{${name}} of the key ${pattern}.`] as const);
  return { ...docs, ...Object.fromEntries(parts) };
}

/** Why a parameter that is the same for every message is malformed. */
function checkParameter(name: string, value: unknown): string | undefined {
  if (name === 'ttl' && lifetimeOf(value) === undefined) return lifetimeSays;
  if ((name === 'by' || name === 'limit') && wholeNumber(value) === undefined) return wholeNumberSays;
  return undefined;
}

/** Why an operation that no `operation` block declares is malformed. */
export function checkCommand(operation: string): string | undefined {
  if (commandNamed(operation) !== undefined) return undefined;
  return `"${operation}" is neither a command of a cache (${commands.join(', ')}) nor an operation of the connector`;
}
