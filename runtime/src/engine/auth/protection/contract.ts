import type { Client } from '../client.ts';
import type { Account } from '../store/accounts.ts';

/** What is unusual about a sign-in. */
export interface Finding {
  readonly action: 'allow' | 'notify' | 'challenge' | 'block';
  /** What its hook reads besides, such as `device`, or `from`, `to`, `km`, `km_per_hour`. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Judges sign-ins with a right password by those before them. */
export interface SignInJudge {
  /** Undefined where nothing is unusual, and where that is not known. */
  judge(account: Account, client: Client): Promise<Finding | undefined>;
  /** Remembers a sign-in that succeeded. */
  accept(account: Account, client: Client): Promise<void>;
}

/** Looks passwords up in a list of those that others know. */
export interface BreachCheck {
  /** How often it is in the list; 0 where it is not, and where the list cannot be read. */
  count(password: string, signal?: AbortSignal): Promise<number>;
}
