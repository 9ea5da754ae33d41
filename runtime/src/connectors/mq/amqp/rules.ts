import { isPattern, topicPatterns } from '../../../intake/routes.ts';

/** Bytes of a routing key in the protocol. */
const longestKey = 255;

/** Why a routing-key pattern can match no message, or undefined. Pure. */
export function checkPattern(pattern: string): string | undefined {
  return new TextEncoder().encode(pattern).length > longestKey
    ? `a routing key has at most ${longestKey} bytes`
    : undefined;
}

/** Whether a decoded `consumer` block says which queue is consumed. */
export function namesQueue(consumer: unknown): boolean {
  return typeof consumer === 'object' && consumer !== null && (consumer as { queue?: unknown }).queue !== undefined;
}

/** Why an operation does not name a queue, or undefined. */
export function checkQueueName(operation: string): string | undefined {
  return isPattern(operation, topicPatterns)
    ? 'the connector names no queue, so that the operation must be the name of one: write queue in its consumer block to take messages by pattern'
    : undefined;
}
