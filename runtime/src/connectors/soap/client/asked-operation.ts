import type { CallProblem, WrittenCall } from '@svc/protocol/schema';

/** Words of databases, which name no operation: the target does then. */
const words = new Set(['SELECT', 'INSERT', 'CREATE', 'UPDATE', 'DELETE']);

function isWord(operation: string): boolean {
  return words.has(operation.trim().toUpperCase());
}

/** The operation of a call: what `operation` names, else `target`; undefined when it comes with each message. */
export function operationOf(operation: string | undefined, target: string | undefined): string | undefined {
  const named = operation === undefined || isWord(operation) ? target : operation;
  return named?.trim();
}

/** Why a call cannot be carried out whatever the message, or undefined. Pure. */
export function checkCall({ operation, target }: WrittenCall): CallProblem | undefined {
  if (operation === undefined || isWord(operation) || target === undefined) return undefined;
  return { word: 'target', problem: 'the operation is in operation; a target has no meaning beside it' };
}
