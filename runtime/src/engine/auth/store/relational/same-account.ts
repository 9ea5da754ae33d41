import { isLaterAccount } from '../accounts.ts';
import { spelled } from './rows.ts';
import type { Row } from './statements.ts';
import { momentFrom } from './values.ts';

/** What the row beside an account says of it, so that another account that gets its id is distinguished from it. */
export interface NotedAccount extends Row {
  readonly account_at: number | null;
  readonly account_email: string | null;
}

/** Nothing where it is not known when the account was made. */
export function notedAccount(createdAt: number | undefined, email: string): NotedAccount {
  return createdAt === undefined
    ? { account_at: null, account_email: null }
    : { account_at: createdAt, account_email: email };
}

/** `email`: its new address; undefined: that of its row. */
export function notedOf(row: Row, email: string | undefined): NotedAccount {
  return notedAccount(momentFrom(row['created_at']), email ?? addressOf(row));
}

/**
 * Whether the row beside an account is that of a former one, which another program removed and whose id it gave to this one: this one
 * was made later, and has another address. Neither is enough: programs change addresses, and some tables move the time of
 * a row with each change of it.
 */
export function isOfFormer(row: Row, beside: Row): boolean {
  const [notedAt, at] = [momentFrom(beside['account_at']), momentFrom(row['created_at'])];
  const email = beside['account_email'];
  if (notedAt === undefined || at === undefined || typeof email !== 'string') return false;
  return isLaterAccount(at, notedAt) && email !== addressOf(row);
}

function addressOf(row: Row): string {
  return spelled(row) ?? String(row['email']);
}
