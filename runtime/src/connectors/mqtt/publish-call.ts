import type { OperationParameters, WrittenCall } from '@svc/protocol/schema';
import { checkTopic } from './topics.ts';

/** Words that mean that a message is published. */
const publishing = ['publish', 'send', 'write', 'insert', 'create', 'update'];

/** Why an operation of a destination is malformed. Pure. */
export function checkPublish(operation: string): string | undefined {
  return publishing.includes(operation.trim().toLowerCase())
    ? undefined
    : `\`${operation}\` is not what a broker of topics is asked for: write \`PUBLISH\``;
}

/** What `params` may say of a message. */
export const publishParameters: OperationParameters = {
  needs: [],
  takes: ['qos', 'retain'],
  check: (name, value) => {
    if (name === 'qos') return isQuality(value) ? undefined : 'is 0, 1 or 2';
    return typeof value === 'boolean' ? undefined : 'is true or false';
  },
};

/** Whether a value is a quality of service, as a configuration or an expression gives it. */
export function isQuality(value: unknown): boolean {
  return [0, 1, 2].includes(Number(value)) && (typeof value === 'number' || typeof value === 'bigint');
}

/** Why a call cannot be carried out whatever the message. Pure. */
export function checkCall(
  { verb, target, words, headers }: WrittenCall,
  config: Readonly<Record<string, unknown>>,
): string | undefined {
  if (verb === 'read') return 'topics are not read: name the connector in `from`, or write operation = "PUBLISH"';
  if (verb === 'delete')
    return 'nothing of a topic is deleted: write operation = "PUBLISH"; an empty message with `retain` ends a retained one';
  const problem = target === undefined ? undefined : checkTopic(target);
  if (problem !== undefined) return problem;
  if (config['protocol_version'] === '5') return undefined;
  const needsFive = words['expiry'] !== undefined ? '`expiry`' : headers?.length ? '`headers`' : undefined;
  return needsFive && `${needsFive} exists in version 5 of the protocol: write protocol_version = "5"`;
}
