import type { OperationParameters, WrittenCall } from '@svc/protocol/schema';
import type { KeyFormat } from '../keys/formats.ts';
import { keyProblem } from '../keys/rules.ts';

/** Largest number of a partition. */
const mostPartitions = 2 ** 31 - 1;

/** Words that send a message; those of databases mean the same, for who writes them by habit. */
const words = ['publish', 'send', 'write', 'insert', 'create', 'update', 'upsert', 'delete'];

/** Why an operation that no `operation` block declares is malformed. */
export function checkCommand(operation: string): string | undefined {
  if (words.includes(operation.trim().toLowerCase())) return undefined;
  return `"${operation}" is neither what brokers can be asked (PUBLISH) nor an operation of the connector`;
}

/** Why a call cannot be carried out whatever the message. Pure. */
export function checkCall({ place, verb, written, words }: WrittenCall): string | undefined {
  if (verb === 'read') return 'topics are not read: name the connector in `from`, or write operation = "PUBLISH"';
  const isEmpty = place === 'step' && written['body'] === undefined;
  return isEmpty && words['tombstone'] !== true ? 'nothing says what is sent: write body' : undefined;
}

/** What `params` may say of a message. `keys` is the format of keys; undefined: a registry may have a schema of them. */
export function messageParameters(keys: KeyFormat | undefined): OperationParameters {
  const checked = (name: string, value: unknown) =>
    name === 'key' && keys !== undefined ? keyProblem(value, keys) : checks[name]?.(value);
  return {
    needs: [],
    takes: ['key', 'partition', 'headers'],
    check: (name, value) => (value === null ? undefined : checked(name, value)),
  };
}

const checks: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  partition: (value) => (partitionIn(value) === undefined ? 'must be a whole number from 0 on' : undefined),
  headers: (value) => (typeof value === 'object' && !Array.isArray(value) ? undefined : 'must be an object'),
};

/** The number of a partition; undefined for anything else. */
export function partitionIn(value: unknown): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= mostPartitions
    ? number
    : undefined;
}
