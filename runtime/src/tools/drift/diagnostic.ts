import type { Origin } from '@svc/protocol/schema';
import type { Diagnostic, Range } from '@svc/protocol/text';
import type { DifferenceCode } from './difference.ts';

/** A difference, with the places of both sides. */
export interface PlacedDifference {
  readonly code: DifferenceCode | 'contract-schema';
  /** Whether a caller who keeps to the contract notices it. */
  readonly isBreaking: boolean;
  readonly message: string;
  /** In the configuration. */
  readonly own: Origin | undefined;
  /** In the contract. */
  readonly there: Origin | undefined;
}

/** Characters of a message: what a contract calls things may be long. */
const longest = 1000;

/** The diagnostic of a difference. It is shown in the configuration where that has a place, else in the contract. */
export function differenceDiagnostic(
  { code, isBreaking, message, own, there }: PlacedDifference,
  contract: string,
): Diagnostic {
  return {
    code,
    severity: isBreaking ? 'error' : 'warning',
    family: 'config',
    message: shown(message),
    ...(own ?? there ?? { file: contract, range: { start: 0, end: 0 } }),
    help: isBreaking
      ? 'Serve what the contract says, or change the contract together with those who call it.'
      : 'Let both say the same: change what is here, or the contract.',
    related: there === undefined ? [] : [{ message: 'the contract says it here', ...there }],
  };
}

/** What a contract calls things is of another maker: none of it moves the cursor of a terminal. */
function shown(message: string): string {
  const plain = message.replace(/[\p{Cc}\p{Cf}]/gu, '?');
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}

/** Why a contract cannot be compared. */
export function unreadable(why: string, file: string, text: string, line = 1): Diagnostic {
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const help =
    'Name a description of OpenAPI 3 in JSON or YAML, a schema of GraphQL (.graphql), definitions of gRPC (.proto) or a WSDL 1.1 document (.wsdl).';
  return incomparable(why, file, { start, end: start }, help);
}

/** Why a place of a contract says nothing that can be compared. */
export function brokenReference(why: string, file: string, range: Range): Diagnostic {
  const help =
    'Correct the reference, or save what it names beside the contract: a part that is not known proves nothing.';
  return incomparable(why, file, range, help);
}

function incomparable(why: string, file: string, range: Range, help: string): Diagnostic {
  return {
    code: 'contract-unreadable',
    severity: 'error',
    family: 'config',
    message: shown(`the contract cannot be compared: ${why}`),
    file,
    range,
    help,
  };
}
