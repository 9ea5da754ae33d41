import type { Auth } from '../../../foundation/contracts/message.ts';

/** An expression over an answer; throws where it cannot be evaluated. */
export type ReadAnswer = (status: number, body: Readonly<Record<string, unknown>>) => unknown;

/** What is read from the answer of a provider; what is not written is undefined. */
export interface AnswerRules {
  readonly success: ReadAnswer;
  readonly user_id: ReadAnswer;
  readonly email: ReadAnswer | undefined;
  readonly roles: ReadAnswer | undefined;
  readonly token: ReadAnswer | undefined;
}

/** What a provider answered. */
export interface ProviderAnswer {
  /** Of HTTP. */
  readonly status: number;
  /** Null-prototype; empty where the answer was not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Why an answer accepts no caller: a credential that is not accepted, or rules that fit no answer. */
export interface NotAccepted {
  /** For the log; it repeats nothing of the answer. */
  readonly why: string;
  /** Whether the rules are to blame, and not the credential. */
  readonly isMistake: boolean;
}

/** Characters of a user id; one that is cut would be the id of another caller. */
const longest = 512;

/** Who the answer of a provider says that calls. Its whole body is in the claims, beside the name of the provider. */
export function callerIn(provider: string, { status, body }: ProviderAnswer, rules: AnswerRules): Auth | NotAccepted {
  const read = (rule: ReadAnswer | undefined): unknown => {
    try {
      return rule?.(status, body);
    } catch {
      return undefined;
    }
  };
  const success = read(rules.success);
  if (success !== true) {
    const isMistake = success !== false && success !== undefined;
    return { why: isMistake ? '`success` gives neither true nor false' : '`success` does not hold', isMistake };
  }
  const userId = textOf(read(rules.user_id));
  if (userId === '' || userId.length > longest || !userId.isWellFormed())
    return { why: '`user_id` gives no text or whole number of 1 to 512 characters', isMistake: true };
  const session = textOf(read(rules.token));
  return {
    authenticated: true,
    user_id: userId,
    email: textOf(read(rules.email)),
    roles: rolesOf(read(rules.roles)),
    claims: Object.assign(
      Object.create(null) as Record<string, unknown>,
      body,
      session !== '' && { session_token: session },
      { auth_provider: provider },
    ),
  };
}

/** Whole numbers are exact. Empty for anything else that is not a text. */
function textOf(value: unknown): string {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return String(value);
  return typeof value === 'string' ? value : '';
}

function rolesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((role) => typeof role === 'string');
  if (typeof value !== 'string') return [];
  return value
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '');
}
