import type { OperationParameters, WrittenCall } from '@svc/protocol/schema';

/** Words that flows write for publishing. */
const words: readonly string[] = ['PUBLISH', 'SEND', 'WRITE', 'INSERT', 'CREATE'];

/** Why an operation of a destination or step does not publish, or undefined. Pure. */
export function checkWord(operation: string): string | undefined {
  return words.includes(operation.trim().toUpperCase())
    ? undefined
    : `"${operation}" is unknown: messages are published with \`PUBLISH\``;
}

/** Why a call publishes nothing, or undefined: flows that read, change or delete say that they mean it. Pure. */
export function checkCall({ verb, operation }: WrittenCall): string | undefined {
  return verb === 'create' || operation !== undefined
    ? undefined
    : 'it does not say that a message is published: write operation = "PUBLISH"';
}

/** The channel is given by `target` or by a parameter. */
export function parametersOf(): OperationParameters {
  return { needs: ['channel'], takes: [], byTarget: 'channel' };
}
