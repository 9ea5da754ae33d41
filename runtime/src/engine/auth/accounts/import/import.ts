import { isReadableHash } from '../../passwords/hash.ts';
import type { Account } from '../../store/accounts.ts';
import type { AuthSystem } from '../../system.ts';
import { normalisedEmail } from '../email.ts';
import { newAccount } from '../register.ts';
import type { ImportRecord } from './records.ts';

/** A record that was not taken, and why. It never shows what it holds. */
export interface RefusedRecord {
  readonly place: string;
  readonly reason: string;
}

export interface ImportReport {
  imported: number;
  /** Accounts that were there already, and were left as they are. */
  present: number;
  readonly refused: RefusedRecord[];
}

const known = ['email', 'password_hash', 'roles', 'metadata', 'created_at', 'password_changed_at', 'locked'];
/** Records between two reports of how far it is. */
const progressEvery = 1_000;
/** Accounts that are made in one transaction. */
const batch = 500;

/**
 * Makes an account of each record. An address that has an account is left as it is, so that a file can be imported again
 * after it was interrupted: what is made last is made whole or not at all. Hashes of other systems are taken as they are, and replaced when their password is known.
 */
export async function importAccounts(
  records: AsyncIterable<ImportRecord>,
  system: Pick<AuthSystem, 'accounts' | 'clock'>,
  progress: (report: ImportReport) => void,
  signal: AbortSignal,
): Promise<ImportReport> {
  const report: ImportReport = { imported: 0, present: 0, refused: [] };
  /** Addresses of this file, with their places. */
  const seen = new Map<string, string>();
  let made: Account[] = [];
  const make = async () => {
    const ids = made.length === 0 ? [] : await system.accounts.createAll(made);
    made = [];
    for (const id of ids) report[id === undefined ? 'present' : 'imported'] += 1;
  };
  let count = 0;
  for await (const { place, fields, isUneven } of records) {
    signal.throwIfAborted();
    const account = isUneven ? 'it has another number of fields than the header' : accountOf(fields, system);
    if (typeof account === 'string') report.refused.push({ place, reason: account });
    else {
      const before = seen.get(account.email);
      if (before !== undefined) report.refused.push({ place, reason: `its address is that of ${before}` });
      else {
        seen.set(account.email, place);
        made.push(account);
        if (made.length === batch) await make();
      }
    }
    count += 1;
    if (count % progressEvery === 0) {
      await make();
      progress(report);
    }
  }
  await make();
  return report;
}

/** The account of a record, or why it has no account. */
function accountOf(fields: ImportRecord['fields'], system: Pick<AuthSystem, 'accounts' | 'clock'>): Account | string {
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  if (unknown.length > 0) return `it has unknown fields; known are ${known.join(', ')}`;
  const email = normalisedEmail(String(fields['email'] ?? ''));
  if (email === undefined) return 'it has no valid email';
  const hash = textOf(fields['password_hash']);
  if (hash !== undefined && !isReadableHash(hash)) return 'its password_hash is of no form that can be verified';
  const roles = rolesOf(fields['roles']);
  if (roles === undefined) return 'its roles are neither a list nor separated by commas';
  if (roles.length > 0 && !system.accounts.keepsRoles) return 'it has roles, and the accounts have no column for them';
  const metadata = metadataOf(fields['metadata']);
  if (metadata === undefined) return 'its metadata are not a JSON object';
  const createdAt = timeOf(fields['created_at']);
  const changedAt = timeOf(fields['password_changed_at']);
  if (createdAt === false || changedAt === false) return 'a time of it is neither RFC 3339 nor seconds since 1970';
  const locked = flagOf(fields['locked']);
  if (locked === undefined) return 'its locked is neither true nor false';
  const made = newAccount(email, hash, metadata, roles, { clock: system.clock });
  return {
    ...made,
    locked,
    ...(createdAt !== undefined && { createdAt }),
    // When it was set is not known otherwise: it does not expire before it is changed.
    passwordChangedAt: hash === undefined ? undefined : changedAt,
  };
}

/** What is empty in a CSV file is not there. */
function textOf(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

function rolesOf(value: unknown): readonly string[] | undefined {
  if (textOf(value) === undefined) return [];
  const list = typeof value === 'string' && value.startsWith('[') ? jsonOf(value) : value;
  if (Array.isArray(list)) return list.every((role) => typeof role === 'string' && role !== '') ? list : undefined;
  if (typeof list !== 'string') return undefined;
  return list
    .split(/[,;]/)
    .map((role) => role.trim())
    .filter((role) => role !== '');
}

function metadataOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (textOf(value) === undefined) return {};
  const object = typeof value === 'string' ? jsonOf(value) : value;
  const isObject = typeof object === 'object' && object !== null && !Array.isArray(object);
  return isObject ? (object as Readonly<Record<string, unknown>>) : undefined;
}

/** Milliseconds since 1970; false for what is not a time. */
function timeOf(value: unknown): number | undefined | false {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const time = /^\d{1,11}$/.test(text) ? Number(text) * 1_000 : Date.parse(text);
  return Number.isNaN(time) || time < 0 ? false : time;
}

function flagOf(value: unknown): boolean | undefined {
  const text = textOf(value)?.toLowerCase() ?? 'false';
  if (['true', '1', 't', 'yes'].includes(text)) return true;
  return ['false', '0', 'f', 'no'].includes(text) ? false : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
