import { Administration, type Ended, type FactorKind, factorKinds } from '../../engine/auth/accounts/administration.ts';
import { importAccounts } from '../../engine/auth/accounts/import/import.ts';
import { recordsOf } from '../../engine/auth/accounts/import/records.ts';
import { userView } from '../../engine/auth/accounts/user-view.ts';
import { type ResetLink, resetUrl } from '../../engine/auth/passwords/reset.ts';
import type { Account } from '../../engine/auth/store/accounts.ts';
import type { Session } from '../../engine/auth/store/sessions.ts';
import type { AuthSystem } from '../../engine/auth/system.ts';
import { isConfirmed, typedText } from '../asking.ts';
import { type ExitStatus, type Invocation, type Run, UsageError } from '../command.ts';
import { withSignInSystem } from '../sign-in-system.ts';
import { table } from '../table.ts';

/** What an action has to work with. */
interface Desk {
  readonly system: AuthSystem;
  readonly administration: Administration;
  readonly invocation: Invocation;
  /** The address or file that was named. */
  readonly subject: string;
  readonly signal: AbortSignal;
}

/** A result for programs, and the same for people. */
interface Printed {
  readonly json: object;
  readonly lines: readonly string[];
  readonly status?: ExitStatus;
}

interface Action {
  /** What is named after the word: nothing, an address, or a file. */
  readonly subject: 'EMAIL' | 'FILE' | undefined;
  /** Whether sessions or links are needed. */
  readonly state: boolean;
  readonly options: readonly string[];
  readonly run: (desk: Desk) => Promise<Printed>;
}

const actions: Readonly<Record<string, Action>> = {
  list: { subject: undefined, state: false, options: ['limit', 'after'], run: list },
  add: { subject: 'EMAIL', state: true, options: ['role', 'password-stdin'], run: add },
  show: { subject: 'EMAIL', state: false, options: [], run: async (desk) => shown(await found(desk), desk) },
  lock: { subject: 'EMAIL', state: true, options: [], run: lock },
  unlock: { subject: 'EMAIL', state: true, options: [], run: unlock },
  roles: { subject: 'EMAIL', state: true, options: ['role', 'none'], run: roles },
  reset: { subject: 'EMAIL', state: true, options: [], run: reset },
  sessions: { subject: 'EMAIL', state: true, options: ['end', 'yes'], run: sessions },
  factors: { subject: 'EMAIL', state: true, options: ['remove', 'yes'], run: factors },
  delete: { subject: 'EMAIL', state: true, options: ['yes'], run: remove },
  import: { subject: 'FILE', state: false, options: [], run: importFile },
};

/**
 * `svc users`: accounts of the sign-in system in their database, without a running service. Resolves with 0, or with 1 when
 * there is no such account, something was refused, or a store cannot be used. It never prints a hash.
 */
export const run: Run = async (invocation) => {
  const { positionals, options, streams } = invocation;
  const [word = 'list', subject, ...rest] = positionals;
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (action === undefined) throw new UsageError(`"${word}" is unknown; it can be ${Object.keys(actions).join(', ')}`);
  if (rest.length > 0 || (subject === undefined) !== (action.subject === undefined))
    throw new UsageError(`"${word}" takes ${action.subject === undefined ? 'no argument' : `one ${action.subject}`}`);
  for (const [name, { options: own }] of Object.entries(actions))
    for (const option of own)
      if (options[option] !== undefined && !action.options.includes(option))
        throw new UsageError(`--${option} belongs to "${name}"`);
  return withSignInSystem(invocation, {
    command: 'users',
    state: action.state,
    work: async (system, signal) => {
      const administration = new Administration(system);
      const desk = { system, administration, invocation, subject: subject ?? '', signal };
      const { json, lines, status = 0 } = await action.run(desk);
      if (options['format'] === 'json') streams.out.write(`${JSON.stringify(json, null, 2)}\n`);
      else for (const line of lines) streams.out.write(`${line}\n`);
      return status;
    },
  });
};

function found({ administration, subject }: Desk): Promise<Account> {
  return administration.find(subject);
}

async function viewOf(account: Account, { system }: Desk): Promise<Readonly<Record<string, unknown>>> {
  const view = await userView(account, system);
  return { ...view, locked: account.locked, has_password: account.passwordHash !== undefined };
}

async function list(desk: Desk): Promise<Printed> {
  const { administration, invocation } = desk;
  const { limit: written = '50', after } = invocation.options;
  const limit = Number(written);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000)
    throw new UsageError('--limit takes a whole number from 1 to 1000');
  const accounts = await administration.list(typeof after === 'string' ? after : undefined, limit + 1);
  const page = accounts.slice(0, limit);
  const next = accounts.length > limit ? page.at(-1)?.email : undefined;
  const rows = page.map(({ email, roles: held, locked, createdAt }) => [
    email,
    held.join(','),
    locked ? 'locked' : '',
    new Date(createdAt).toISOString(),
  ]);
  return {
    json: { users: await Promise.all(page.map((account) => viewOf(account, desk))), next: next ?? null },
    lines: [
      ...(rows.length === 0 ? ['No accounts.'] : table([['EMAIL', 'ROLES', 'STATE', 'CREATED'], ...rows])),
      ...(next === undefined ? [] : [`More: --after ${next}`]),
    ],
  };
}

async function shown(account: Account, desk: Desk): Promise<Printed> {
  const view = await viewOf(account, desk);
  const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  return { json: { user: view }, lines: table(Object.entries(view).map(([name, value]) => [name, text(value)])) };
}

async function add(desk: Desk): Promise<Printed> {
  const { administration, invocation, subject } = desk;
  const isTyped = invocation.options['password-stdin'] === true;
  const password = isTyped ? await typedText(invocation) : undefined;
  if (isTyped && password === undefined)
    throw new UsageError('--password-stdin: there is no password in standard input');
  const made = await administration.add({ email: subject, roles: rolesIn(invocation), password });
  const { json, lines } = made.reset === undefined ? { json: {}, lines: [] } : linkOf(made.reset, desk);
  return {
    json: { user: await viewOf(made.account, desk), ...json },
    lines: [`${made.account.email}: added`, ...lines],
  };
}

async function lock(desk: Desk): Promise<Printed> {
  const account = await found(desk);
  return changed(account, 'locked', await desk.administration.lock(account), desk);
}

async function unlock(desk: Desk): Promise<Printed> {
  const account = await found(desk);
  await desk.administration.unlock(account);
  const now = await found(desk);
  return { json: { user: await viewOf(now, desk) }, lines: [`${now.email}: unlocked`] };
}

async function roles(desk: Desk): Promise<Printed> {
  const account = await found(desk);
  const { options } = desk.invocation;
  const wanted = rolesIn(desk.invocation);
  if (options['none'] === true && wanted.length > 0) throw new UsageError('--none and --role exclude each other');
  if (options['none'] !== true && wanted.length === 0)
    return { json: { roles: account.roles }, lines: account.roles.length === 0 ? ['No roles.'] : account.roles };
  const what = wanted.length === 0 ? 'has no roles now' : `has these roles now: ${wanted.join(', ')}`;
  return changed(account, what, await desk.administration.setRoles(account, wanted), desk);
}

async function reset(desk: Desk): Promise<Printed> {
  return linkOf(await desk.administration.reset(await found(desk)), desk);
}

async function sessions(desk: Desk): Promise<Printed> {
  const { administration, invocation } = desk;
  const account = await found(desk);
  if (invocation.options['end'] !== true) return sessionsShown(await administration.sessions(account));
  const { length } = await administration.sessions(account);
  if (!(await isConfirmed(`End ${length} sessions of ${account.email}?`, invocation))) return unconfirmed;
  return changed(account, 'is signed out', await administration.endSessions(account), desk);
}

async function factors(desk: Desk): Promise<Printed> {
  const { administration, invocation } = desk;
  const account = await found(desk);
  const wanted = invocation.options['remove'];
  if (wanted === undefined) {
    const { totp, passkeys, recoveryCodes } = await administration.factors(account);
    const json = { totp, passkeys, recovery_codes: recoveryCodes };
    const rows = Object.entries(json).map(([name, held]) => [name, String(held)]);
    return { json, lines: table(rows) };
  }
  const kind = factorKinds.find((each) => each === wanted) as FactorKind;
  if (!(await isConfirmed(`Remove ${kind} of ${account.email}?`, invocation))) return unconfirmed;
  return changed(account, `${kind} removed`, await administration.removeFactors(account, kind), desk);
}

async function remove(desk: Desk): Promise<Printed> {
  const { administration, invocation } = desk;
  const account = await found(desk);
  const question = `Delete ${account.email} and everything that belongs to it?`;
  if (!(await isConfirmed(question, invocation))) return unconfirmed;
  const ended = await administration.delete(account);
  return {
    json: { deleted: account.id, ...endedJson(ended) },
    lines: [`${account.email}: deleted`, ...endedLines(ended)],
  };
}

async function importFile({ system, invocation, subject, signal }: Desk): Promise<Printed> {
  const { resolve } = await import('node:path');
  const records = recordsOf(resolve(invocation.workingDirectory, subject));
  const report = await importAccounts(
    records,
    system,
    ({ imported, present, refused }) => {
      const done = imported + present + refused.length;
      invocation.streams.error.write(
        `${done} records: ${imported} imported, ${present} present, ${refused.length} refused\n`,
      );
    },
    signal,
  );
  const { imported, present, refused } = report;
  return {
    json: report,
    lines: [
      ...refused.map(({ place, reason }) => `refused: ${place}: ${reason}`),
      `${imported} imported, ${present} present already, ${refused.length} refused`,
    ],
    status: refused.length === 0 ? 0 : 1,
  };
}

const unconfirmed: Printed = {
  json: { done: false },
  lines: ['Nothing was done: it was not confirmed. Without a question: --yes.'],
  status: 1,
};

async function changed(account: Account, what: string, ended: Ended, desk: Desk): Promise<Printed> {
  const now = await desk.administration.find(account.email);
  return {
    json: { user: await viewOf(now, desk), ...endedJson(ended) },
    lines: [`${now.email}: ${what}`, ...endedLines(ended)],
  };
}

function endedJson({ sessions: ended }: Ended) {
  return { sessions_ended: ended ?? null };
}

function endedLines({ sessions: ended }: Ended): readonly string[] {
  return ended === undefined
    ? ['Its sessions are in the memory of the service, and last there until their tokens are refreshed.']
    : [`${ended} sessions ended`];
}

/** The token is printed once and kept nowhere. */
function linkOf({ token, expiresAt }: ResetLink, { system }: Desk): Printed {
  const { base_url: base } = system.settings;
  const end = new Date(expiresAt).toISOString();
  const url = base === undefined ? undefined : resetUrl(base, token);
  return {
    json: { reset_token: token, ...(url !== undefined && { reset_url: url }), expires_at: end },
    lines: [`Sets a password once, until ${end}:`, url ?? token],
  };
}

function sessionsShown(held: readonly Session[]): Printed {
  const time = (milliseconds: number) => new Date(milliseconds).toISOString();
  const json = held.map(({ id, ip, userAgent, createdAt, lastActiveAt, expiresAt }) => ({
    id,
    ip: ip ?? null,
    user_agent: userAgent ?? null,
    created_at: time(createdAt),
    last_active_at: time(lastActiveAt),
    expires_at: time(expiresAt),
  }));
  const rows = json.map((each) => [each.id, each.ip ?? '', each.last_active_at, each.user_agent ?? '']);
  const lines = rows.length === 0 ? ['No sessions.'] : table([['ID', 'ADDRESS', 'LAST USED', 'AGENT'], ...rows]);
  return { json: { sessions: json }, lines };
}

function rolesIn({ options }: Invocation): readonly string[] {
  return Array.isArray(options['role']) ? (options['role'] as readonly string[]) : [];
}
