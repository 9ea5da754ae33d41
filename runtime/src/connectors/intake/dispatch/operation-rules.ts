import { isPattern, type PatternGrammar } from './routes.ts';

/** Why a key, topic or pattern is longer than its protocol allows, or undefined. Pure. */
export function checkLength(text: string, mostBytes: number, what: string): string | undefined {
  return new TextEncoder().encode(text).length > mostBytes ? `${what} has at most ${mostBytes} bytes` : undefined;
}

/**
 * Why an operation does not name a source, or undefined: where a decoded `consumer` block names no `kind` of its own, the
 * operations of flows do, and cannot be patterns. Pure.
 */
export function checkSourceName(operation: string, grammar: PatternGrammar, consumer: unknown, kind: string) {
  const isNamed = (consumer as Readonly<Record<string, unknown>> | undefined)?.[kind] !== undefined;
  return isNamed || !isPattern(operation, grammar)
    ? undefined
    : `the connector names no ${kind}, so that the operation must be the name of one: write ${kind} in its consumer block to take messages by pattern`;
}
