import { createHash } from 'node:crypto';
import { insertText, type RuntimeTables } from '../../../../foundation/contracts/sql.ts';
import type { FactorStore, HeldFactors, Passkey, PasskeyUse, TotpFactor } from '../factors.ts';
import { AccountLock } from './account-lock.ts';
import { own, passkeyColumns, type SideTables } from './side-tables.ts';
import type { AccountDatabase, Row } from './statements.ts';

/** Second factors in tables beside that of the accounts. */
export class RelationalFactorStore implements FactorStore {
  readonly #database: AccountDatabase;
  readonly #dialect: RuntimeTables;
  readonly #tables: SideTables;
  readonly #lock: AccountLock;
  readonly #dropFormer: (accountId: string) => Promise<void>;

  /** `dropFormer` removes what a former account with this id has left. */
  constructor(
    database: AccountDatabase,
    dialect: RuntimeTables,
    tables: SideTables,
    dropFormer: (accountId: string) => Promise<void>,
  ) {
    this.#database = database;
    this.#dialect = dialect;
    this.#tables = tables;
    this.#lock = new AccountLock(database, dialect, tables);
    this.#dropFormer = dropFormer;
  }

  async held(accountId: string): Promise<HeldFactors> {
    const { totp, passkeys, recoveryCodes } = this.#tables;
    const count = (table: string, as: string, further = '') =>
      `(SELECT COUNT(*) FROM ${table} WHERE ${own} AND user_id = :accountId${further}) AS ${as}`;
    const query = `SELECT ${count(totp, 'totp', ' AND confirmed_at IS NOT NULL')}, ${count(passkeys, 'passkeys')}, ${count(recoveryCodes, 'codes')}`;
    const [row] = await this.#database.rows(query, { accountId });
    return {
      totp: Number(row?.['totp']) > 0,
      passkeys: Number(row?.['passkeys'] ?? 0),
      recoveryCodes: Number(row?.['codes'] ?? 0),
    };
  }

  async totp(accountId: string): Promise<TotpFactor | undefined> {
    const query = `SELECT secret, confirmed_at, last_step FROM ${this.#tables.totp} WHERE ${own} AND user_id = :accountId`;
    const [row] = await this.#database.rows(query, { accountId });
    if (row === undefined) return undefined;
    const { secret, confirmed_at: confirmedAt, last_step: lastStep } = row;
    return { secret: String(secret), confirmedAt: momentOf(confirmedAt), lastStep: Number(lastStep) };
  }

  beginTotp(accountId: string, secret: string): Promise<boolean> {
    const { totp } = this.#tables;
    const row = { user_id: accountId, secret, confirmed_at: null, last_step: -1 };
    return this.#lock.run(accountId, async ({ run, rows }) => {
      if ((await run(this.#dialect.insertOnce(totp, ['scope', ...Object.keys(row)]), row)) === 1) return true;
      // The same secret again is counted as no change by some databases: what is there tells.
      await run(
        `UPDATE ${totp} SET secret = :secret WHERE ${own} AND user_id = :user_id AND confirmed_at IS NULL`,
        row,
      );
      const [begun] = await rows(`SELECT confirmed_at FROM ${totp} WHERE ${own} AND user_id = :user_id`, row);
      return begun !== undefined && momentOf(begun['confirmed_at']) === undefined;
    });
  }

  confirmTotp(accountId: string, secret: string, step: number, at: number): Promise<boolean> {
    const { totp } = this.#tables;
    return this.#lock.run(accountId, async ({ run, rows }) => {
      const [begun] = await rows(`SELECT secret, confirmed_at FROM ${totp} WHERE ${own} AND user_id = :accountId`, {
        accountId,
      });
      // Some databases find texts equal that differ in case.
      if (begun?.['secret'] !== secret || momentOf(begun['confirmed_at']) !== undefined) return false;
      const set = 'confirmed_at = :at, last_step = :step';
      return (
        (await run(`UPDATE ${totp} SET ${set} WHERE ${own} AND user_id = :accountId`, { accountId, step, at })) === 1
      );
    });
  }

  async useTotpStep(accountId: string, step: number): Promise<boolean> {
    const query = `UPDATE ${this.#tables.totp} SET last_step = :step WHERE ${own} AND user_id = :accountId AND confirmed_at IS NOT NULL AND last_step < :step`;
    return (await this.#database.run(query, { accountId, step })) === 1;
  }

  async removeTotp(accountId: string): Promise<boolean> {
    return (
      (await this.#database.run(`DELETE FROM ${this.#tables.totp} WHERE ${own} AND user_id = :accountId`, {
        accountId,
      })) === 1
    );
  }

  async passkeys(accountId: string): Promise<readonly Passkey[]> {
    const query = `SELECT ${passkeyColumns} FROM ${this.#tables.passkeys} WHERE ${own} AND user_id = :accountId ORDER BY created_at, digest`;
    return (await this.#database.rows(query, { accountId })).map(passkeyOf);
  }

  async passkey(id: string): Promise<{ accountId: string; passkey: Passkey } | undefined> {
    const query = `SELECT ${passkeyColumns} FROM ${this.#tables.passkeys} WHERE ${own} AND digest = :digest`;
    const params = { digest: digestOf(id) };
    const [found] = await this.#database.rows(query, params);
    if (found === undefined) return undefined;
    await this.#dropFormer(String(found['user_id']));
    const [row] = await this.#database.rows(query, params);
    return row && { accountId: String(row['user_id']), passkey: passkeyOf(row) };
  }

  addPasskey(accountId: string, passkey: Passkey, most: number): Promise<'added' | 'taken' | 'full'> {
    const { passkeys } = this.#tables;
    const row = {
      digest: digestOf(passkey.id),
      id: passkey.id,
      user_id: accountId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      name: passkey.name,
      transports: JSON.stringify(passkey.transports),
      aaguid: passkey.aaguid,
      backup_eligible: Number(passkey.backupEligible),
      backed_up: Number(passkey.backedUp),
      created_at: passkey.createdAt,
      last_used_at: passkey.lastUsedAt ?? null,
    };
    // Two at the same time do not both find room.
    return this.#lock.run(accountId, async ({ run, rows }) => {
      const [counted] = await rows(`SELECT COUNT(*) AS held FROM ${passkeys} WHERE ${own} AND user_id = :accountId`, {
        accountId,
      });
      if (Number(counted?.['held']) >= most) return 'full';
      return (await run(this.#dialect.insertOnce(passkeys, ['scope', ...Object.keys(row)]), row)) === 1
        ? 'added'
        : 'taken';
    });
  }

  async usePasskey(id: string, { from, counter, backedUp, at }: PasskeyUse): Promise<boolean> {
    const { passkeys } = this.#tables;
    const set = 'counter = :counter, backed_up = :backedUp, last_used_at = :at';
    const params = { digest: digestOf(id), from, counter, backedUp: Number(backedUp), at };
    return this.#database.transaction(async ({ run, rows }) => {
      // An update to the same values is counted as no change by some databases.
      const found = await rows(
        `SELECT counter, last_used_at FROM ${passkeys} WHERE ${own} AND digest = :digest`,
        params,
      );
      if (found[0] === undefined || Number(found[0]['counter']) !== from) return false;
      const changed = await run(
        `UPDATE ${passkeys} SET ${set} WHERE ${own} AND digest = :digest AND counter = :from`,
        params,
      );
      return changed === 1 || (counter === from && Number(found[0]['last_used_at']) === at);
    });
  }

  async removePasskey(accountId: string, id: string): Promise<boolean> {
    const query = `DELETE FROM ${this.#tables.passkeys} WHERE ${own} AND digest = :digest AND user_id = :accountId`;
    return (await this.#database.run(query, { digest: digestOf(id), accountId })) === 1;
  }

  async recoveryCodes(accountId: string): Promise<readonly string[]> {
    const query = `SELECT code_hash FROM ${this.#tables.recoveryCodes} WHERE ${own} AND user_id = :accountId ORDER BY digest`;
    return (await this.#database.rows(query, { accountId })).map((row) => String(row['code_hash']));
  }

  setRecoveryCodes(accountId: string, hashes: readonly string[]): Promise<void> {
    const { recoveryCodes } = this.#tables;
    const insert = insertText(recoveryCodes, ['scope', 'user_id', 'digest', 'code_hash']);
    return this.#lock.run(accountId, async ({ run }) => {
      await run(`DELETE FROM ${recoveryCodes} WHERE ${own} AND user_id = :accountId`, { accountId });
      for (const hash of hashes) await run(insert, { user_id: accountId, digest: digestOf(hash), code_hash: hash });
    });
  }

  async spendRecoveryCode(accountId: string, hash: string): Promise<boolean> {
    const query = `DELETE FROM ${this.#tables.recoveryCodes} WHERE ${own} AND user_id = :accountId AND digest = :digest`;
    return (await this.#database.run(query, { accountId, digest: digestOf(hash) })) === 1;
  }
}

/** Texts that are longer than what a database indexes are found by their digests. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function momentOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function passkeyOf(row: Row): Passkey {
  return {
    id: String(row['id']),
    publicKey: String(row['public_key']),
    counter: Number(row['counter']),
    name: String(row['name']),
    transports: JSON.parse(String(row['transports'])) as string[],
    aaguid: String(row['aaguid']),
    backupEligible: Number(row['backup_eligible']) === 1,
    backedUp: Number(row['backed_up']) === 1,
    createdAt: Number(row['created_at']),
    lastUsedAt: momentOf(row['last_used_at']),
  };
}
