import type { CallProblem, WrittenCall } from '@svc/protocol/schema';
import { versionProblem } from '../parameters.ts';
import { checkTopic } from '../topics.ts';

/** Words that mean that a message is published. */
const publishing = ['publish', 'send', 'write', 'insert', 'create', 'update'];

/** Why an operation of a destination is malformed. Pure. */
export function checkPublish(operation: string): string | undefined {
  return publishing.includes(operation.trim().toLowerCase())
    ? undefined
    : `\`${operation}\` is not what a broker of topics is asked for: write \`PUBLISH\``;
}

/** Why a call cannot be carried out whatever the message. Pure. */
export function checkCall(
  { place, verb, target, written, params = [] }: WrittenCall,
  config: Readonly<Record<string, unknown>>,
): string | CallProblem | undefined {
  if (verb === 'read') return 'topics are not read: name the connector in `from`, or write operation = "PUBLISH"';
  if (verb === 'delete')
    return 'nothing of a topic is deleted: write operation = "PUBLISH"; an empty message with `retain` ends a retained one';
  if (place === 'step' && written['body'] === undefined) return 'nothing says what is sent: write body';
  const problem = target === undefined ? undefined : checkTopic(target);
  if (problem !== undefined) return problem;
  const name = params.find((each) => versionProblem(each, config['protocol_version']) !== undefined);
  return name && { word: 'params', problem: `${name} ${versionProblem(name, config['protocol_version'])}` };
}
