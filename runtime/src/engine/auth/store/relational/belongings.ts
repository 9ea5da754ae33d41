import { randomUUID } from 'node:crypto';
import { insertText, type RuntimeTables } from '../../../../foundation/contracts/sql.ts';
import type { Device, PasswordChange, Position, SigningKey } from '../accounts.ts';
import { own, type SideTables } from './side-tables.ts';
import type { AccountDatabase, Statements } from './statements.ts';

/** What belongs to accounts, in the tables that the service makes. */
export class Belongings {
  readonly #database: AccountDatabase;
  readonly #dialect: RuntimeTables;
  readonly #tables: SideTables;

  constructor(database: AccountDatabase, dialect: RuntimeTables, tables: SideTables) {
    this.#database = database;
    this.#dialect = dialect;
    this.#tables = tables;
  }

  /** Adds a hash, and the one that it replaces where it is not there, and removes those that are not kept. */
  async addToHistory({ rows, run }: Statements, userId: string, change: PasswordChange): Promise<void> {
    const { hash, changedAt, keep, expected } = change;
    const { history } = this.#tables;
    const order = 'ORDER BY created_at DESC';
    const select = `SELECT id, password_hash, created_at FROM ${history} WHERE ${own} AND user_id = :userId ${order}`;
    const former = await rows(select, { userId });
    const ids = former.map(({ id }) => String(id));
    let last = former[0] === undefined ? 0 : Number(former[0]['created_at']);
    const insert = insertText(history, ['scope', 'id', 'user_id', 'password_hash', 'created_at']);
    const add = async (added: string, at: number) => {
      // Later than those before, whatever clocks did.
      last = Math.max(last + 1, at);
      const id = randomUUID();
      await run(insert, { id, user_id: userId, password_hash: added, created_at: last });
      ids.unshift(id);
    };
    if (keep > 1 && expected !== undefined && former[0]?.['password_hash'] !== expected)
      await add(expected, changedAt - 1);
    if (keep > 0) await add(hash, changedAt);
    const removed = ids.slice(keep);
    if (removed.length > 0) await run(`DELETE FROM ${history} WHERE ${own} AND id IN (:removed)`, { removed });
  }

  async replaceInHistory({ rows, run }: Statements, userId: string, from: string, to: string): Promise<void> {
    const { history } = this.#tables;
    const kept = await rows(`SELECT id, password_hash FROM ${history} WHERE ${own} AND user_id = :userId`, { userId });
    for (const { id, password_hash: hash } of kept)
      if (hash === from) await run(`UPDATE ${history} SET password_hash = :to WHERE ${own} AND id = :id`, { id, to });
  }

  async history(userId: string, most: number): Promise<readonly string[]> {
    if (most <= 0) return [];
    const query = `SELECT password_hash FROM ${this.#tables.history} WHERE ${own} AND user_id = :userId ORDER BY created_at DESC LIMIT :most`;
    const rows = await this.#database.rows(query, { userId, most });
    return rows.map((row) => String(row['password_hash']));
  }

  async device(userId: string, fingerprint: string): Promise<Device | undefined> {
    const query = `SELECT first_seen, last_seen FROM ${this.#tables.devices} WHERE ${own} AND user_id = :userId AND fingerprint = :fingerprint`;
    const [row] = await this.#database.rows(query, { userId, fingerprint });
    return row && { fingerprint, firstSeen: Number(row['first_seen']), lastSeen: Number(row['last_seen']) };
  }

  keepDevice(userId: string, { fingerprint, firstSeen, lastSeen }: Device, most: number): Promise<void> {
    const { devices } = this.#tables;
    const params = { user_id: userId, fingerprint, first_seen: firstSeen, last_seen: lastSeen };
    const set = 'first_seen = :first_seen, last_seen = :last_seen';
    return this.#database.transaction(async ({ rows, run }) => {
      await run(this.#dialect.insertOnce(devices, ['scope', ...Object.keys(params)]), params);
      await run(
        `UPDATE ${devices} SET ${set} WHERE ${own} AND user_id = :user_id AND fingerprint = :fingerprint`,
        params,
      );
      const query = `SELECT fingerprint FROM ${devices} WHERE ${own} AND user_id = :user_id AND fingerprint <> :fingerprint ORDER BY last_seen DESC, fingerprint`;
      const others = (await rows(query, params)).map((row) => String(row['fingerprint']));
      const removed = others.slice(Math.max(0, most - 1));
      if (removed.length === 0) return;
      await run(`DELETE FROM ${devices} WHERE ${own} AND user_id = :userId AND fingerprint IN (:removed)`, {
        userId,
        removed,
      });
    });
  }

  async position(userId: string): Promise<Position | undefined> {
    const query = `SELECT latitude, longitude, accuracy, label, seen_at FROM ${this.#tables.positions} WHERE ${own} AND user_id = :userId`;
    const [row] = await this.#database.rows(query, { userId });
    if (row === undefined) return undefined;
    const { latitude, longitude, accuracy, label, seen_at: at } = row;
    return {
      latitude: Number(latitude),
      longitude: Number(longitude),
      accuracy: accuracy === null ? undefined : Number(accuracy),
      label: String(label),
      at: Number(at),
    };
  }

  keepPosition(userId: string, { latitude, longitude, accuracy, label, at }: Position): Promise<void> {
    const { positions } = this.#tables;
    const params = { user_id: userId, latitude, longitude, accuracy: accuracy ?? null, label, seen_at: at };
    const set =
      'latitude = :latitude, longitude = :longitude, accuracy = :accuracy, label = :label, seen_at = :seen_at';
    return this.#database.transaction(async ({ run }) => {
      await run(this.#dialect.insertOnce(positions, ['scope', ...Object.keys(params)]), params);
      await run(`UPDATE ${positions} SET ${set} WHERE ${own} AND user_id = :user_id`, params);
    });
  }

  /** Removes everything of an account. */
  async removeAll({ run }: Statements, userId: string): Promise<void> {
    const { accounts, history, devices, positions, totp, passkeys, recoveryCodes, identities } = this.#tables;
    await run(`DELETE FROM ${accounts} WHERE ${own} AND id = :userId`, { userId });
    for (const table of [history, devices, positions, totp, passkeys, recoveryCodes, identities])
      await run(`DELETE FROM ${table} WHERE ${own} AND user_id = :userId`, { userId });
  }

  async signingKeys(): Promise<readonly SigningKey[]> {
    const query = `SELECT id, private_key, created_at FROM ${this.#tables.keys} WHERE ${own} ORDER BY generation DESC`;
    const rows = await this.#database.rows(query, {});
    return rows.map(({ id, private_key: privateKey, created_at: createdAt }) => ({
      id: String(id),
      privateKey: String(privateKey),
      createdAt: Number(createdAt),
    }));
  }

  /** Of several processes that add one after the same key, one has the next generation. */
  async addSigningKey({ id, privateKey, createdAt }: SigningKey, latest: string | undefined): Promise<boolean> {
    const { keys } = this.#tables;
    const [row] = await this.#database.rows(
      `SELECT id, generation FROM ${keys} WHERE ${own} ORDER BY generation DESC LIMIT 1`,
      {},
    );
    if ((row && String(row['id'])) !== latest) return false;
    const params = {
      id,
      private_key: privateKey,
      created_at: createdAt,
      generation: Number(row?.['generation'] ?? 0) + 1,
    };
    return (await this.#database.run(this.#dialect.insertOnce(keys, ['scope', ...Object.keys(params)]), params)) === 1;
  }

  async deleteSigningKey(id: string): Promise<void> {
    await this.#database.run(`DELETE FROM ${this.#tables.keys} WHERE ${own} AND id = :id`, { id });
  }
}
