import type { ConnectorValues, OperationParameters, WrittenCall } from '@svc/protocol/schema';
import type { Verb } from '../../../../foundation/contracts/target.ts';
import { headerLines } from './outgoing-headers.ts';
import { parameterProblem, streamParameters } from './stream-parameters.ts';

/** What is asked of a server. */
export type Command = 'publish' | 'request';

const publishing: readonly string[] = ['PUBLISH', 'SEND', 'WRITE', 'INSERT', 'CREATE', 'UPDATE'];

/** The command that an operation means; undefined when it means none. */
export function commandOf(operation: string | undefined): Command | undefined {
  const word = operation?.trim().toUpperCase() ?? 'PUBLISH';
  if (word === 'REQUEST') return 'request';
  return publishing.includes(word) ? 'publish' : undefined;
}

/** Why an operation of a destination, step or enrichment is malformed, or undefined. Pure. */
export function checkWord(operation: string): string | undefined {
  return commandOf(operation) === undefined
    ? `"${operation}" is unknown: messages are published with \`PUBLISH\`, and answered with \`REQUEST\``
    : undefined;
}

const mustSay: Partial<Record<Verb, string>> = {
  read: 'a subject is not read: write operation = "REQUEST" to ask over it, or "PUBLISH"',
  delete: 'nothing of a subject is deleted: write operation = "PUBLISH"',
};

interface WrittenPublisher {
  readonly confirms?: boolean;
  readonly subject?: string;
}

const publisherOf = (config: ConnectorValues) => config['publisher'] as WrittenPublisher | undefined;

/** Why a call cannot be carried out whatever the message, or undefined. Pure. */
export function checkCall({ verb, operation }: WrittenCall): string | undefined {
  return operation === undefined ? mustSay[verb] : undefined;
}

const ofStreams = ['message_id', ...streamParameters];

/** What `params` say: what only a stream knows where messages are stored by one. */
export function parametersOf(
  operation: string | undefined,
  _named: ConnectorValues | undefined,
  config: ConnectorValues = {},
): OperationParameters {
  const { confirms = false, subject } = publisherOf(config) ?? {};
  const isStored = confirms && commandOf(operation) !== 'request';
  const takes = ['headers', ...(isStored ? ofStreams : [])];
  const check = (name: string, value: unknown) =>
    name === 'headers' ? headerLines(value, isStored, true).problem : parameterProblem(name, value);
  return subject === undefined
    ? { needs: ['subject'], takes, byTarget: 'subject', check }
    : { needs: [], takes: ['subject', ...takes], byTarget: 'subject', check };
}
