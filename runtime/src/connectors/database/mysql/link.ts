import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Connection, FieldPacket, ResultSetHeader } from 'mysql2';
import mysql from 'mysql2';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { keepAliveAfter } from '../server/liveness.ts';
import type { NodeOptions } from '../server/node.ts';

/** How connections to one server are made. */
export interface LinkOptions extends Pick<NodeOptions, 'address' | 'ssl' | 'userAgent'> {
  readonly charset: string;
}

/** A statement as it is sent. */
export interface Statement {
  readonly text: string;
  /** Absent: sent as text, whatever it is; several statements where the connection takes them. */
  readonly values?: readonly unknown[] | undefined;
}

/** What came back: rows with the values of mysql2, or what a statement without rows did. */
export type Result =
  | { readonly fields: readonly FieldPacket[]; readonly rows: Record<string, unknown>[] }
  | { readonly done: ResultSetHeader };

/** Taken once: the package looks for it in its files each time that it is asked. */
const { LONGLONG } = mysql.TypedParameter;
/** The first integer that only an unsigned column holds. */
const beyondSigned = 2n ** 63n;

/** The bit of the status of a server for an open transaction (MySQL Internals, Status Flags). */
const openTransaction = 1;
/** A statement that may begin a transaction inside of it. */
const procedure = /^(?:\s|\/\*.*?\*\/|(?:--\s|#)[^\n]*\n)*(?:call|execute)\b/is;

/** Statements that a connection keeps prepared. */
const keptStatements = 200;

/**
 * Sessions look the same whatever the defaults of the server are: times are UTC, values that do not fit are refused, and
 * the lexical rules are those by which statements are taken apart.
 */
export const session = `SET SESSION time_zone = '+00:00', sql_mode = CONCAT_WS(',', 'STRICT_TRANS_TABLES',
  REGEXP_REPLACE(@@sql_mode, '\\\\b(ANSI_QUOTES|NO_BACKSLASH_ESCAPES|ANSI|ORACLE|[A-Z]+SQL|DB2|MAXDB)\\\\b', ''))`;

/** What sets a server apart from others. */
const place = "SELECT CONCAT_WS('/', @@hostname, @@port, @@server_id) AS place";

/** One connection. */
export class Link {
  /** When it was made, in milliseconds of `systemClock.elapsed()`. */
  readonly since = systemClock.elapsed();
  /** When it last answered. */
  answered = 0;
  private readonly connection: Connection;
  private over = false;
  private inTransaction = false;
  /** Which server it is: another one may answer at the same address, and have a connection with the same number. */
  place = '';

  private constructor(connection: Connection, ended: () => void) {
    this.connection = connection;
    // An error that belongs to no statement; any other rejects its statement.
    connection.on('error', () => undefined);
    (connection as unknown as { stream: NodeJS.EventEmitter }).stream.on('close', () => {
      this.over = true;
      ended();
    });
  }

  /**
   * Connects and prepares the session, within `connectTimeout`. `ended` is called when the connection has ended; `made`
   * gets the link before it can be used, so that it can be destroyed.
   */
  static open(
    options: LinkOptions,
    { ended, made, several = false }: { ended: () => void; made?: (link: Link) => void; several?: boolean },
  ): Promise<Link> {
    const { address, ssl } = options;
    return new Promise((resolve, reject) => {
      const connection = mysql.createConnection({
        host: address.host,
        ...(address.host.startsWith('/') ? { socketPath: address.host } : {}),
        port: address.port,
        user: address.user,
        password: address.password ?? '',
        database: address.database,
        ...(ssl === false ? {} : { ssl: sslOf(ssl) }),
        charset: options.charset,
        connectTimeout: 0,
        connectAttributes: { program_name: options.userAgent },
        flags: ['-LOCAL_FILES'],
        enableKeepAlive: true,
        keepAliveInitialDelay: keepAliveAfter,
        multipleStatements: several,
        maxPreparedStatements: keptStatements,
        supportBigNumbers: true,
        bigNumberStrings: true,
        dateStrings: true,
        jsonStrings: true,
        timezone: 'Z',
        namedPlaceholders: false,
      } as mysql.ConnectionOptions);
      if (isIP(address.host) !== 0) nameSocket(connection, address.host);
      const link = new Link(connection, ended);
      made?.(link);
      const fail = (error: unknown) => {
        clearTimeout(timer);
        reject(error);
        link.destroy();
      };
      const timer = setTimeout(() => fail(new Error('timeout')), address.connectTimeout);
      connection.once('error', fail);
      connection.once('connect', () => {
        link.prepare().then(() => {
          clearTimeout(timer);
          connection.off('error', fail);
          resolve(link);
        }, fail);
      });
    });
  }

  private async prepare(): Promise<void> {
    await this.send({ text: session });
    const found = await this.send({ text: place });
    if ('rows' in found) this.place = String(found.rows[0]?.['place']);
  }

  /** The number under which the server knows the connection. */
  get id(): number {
    return this.connection.threadId;
  }

  get isOver(): boolean {
    return this.over;
  }

  /** A transaction may be open: the server says so with what it has done, and nothing when a procedure fails in it. */
  get mayBeInTransaction(): boolean {
    return this.inTransaction;
  }

  /** Rejects with what mysql2 says. */
  send({ text, values }: Statement): Promise<Result> {
    return new Promise((resolve, reject) => {
      const answer = (error: Error | null, rows: unknown, fields: unknown) => {
        if (error !== null) {
          this.inTransaction ||= procedure.test(text);
          return reject(error);
        }
        this.answered = systemClock.elapsed();
        this.inTransaction = endsInTransaction(rows);
        resolve(resultOf(rows, fields as readonly FieldPacket[] | undefined));
      };
      if (values === undefined) this.connection.query(text, answer);
      else
        this.connection.execute(
          text,
          values.map(parameter) as never,
          (error: Error | null, rows: unknown, fields: unknown) => {
            // Some statements cannot be prepared; nothing of them was done.
            if (isUnpreparable(error) && values.length === 0) this.connection.query(text, answer);
            else answer(error, rows, fields);
          },
        );
    });
  }

  /** Ends the connection in order, which the server completes. */
  end(): void {
    this.connection.end();
  }

  /** Closes the socket at once; what runs on it fails. */
  destroy(): void {
    (this.connection as unknown as { stream: { destroy(): void } }).stream.destroy();
  }
}

/**
 * Keeps the address that was connected to at its socket. The package tells TLS no name where the host is an address, and
 * the certificate would be compared with `localhost` (Node, tls.connect: the name of the socket comes before that).
 */
function nameSocket(connection: Connection, host: string): void {
  (connection as unknown as { readonly stream: { _host?: string } }).stream._host = host;
}

function sslOf({ checkServerIdentity, ...ssl }: ConnectionOptions) {
  const verifyIdentity = ssl.rejectUnauthorized === true && checkServerIdentity === undefined;
  return { ...ssl, verifyIdentity } as mysql.SslOptions;
}

function resultOf(rows: unknown, fields: readonly FieldPacket[] | undefined): Result {
  if (fields === undefined || !Array.isArray(rows)) return { done: rows as ResultSetHeader };
  // A procedure answers a list for each of its statements, the last of which is how it ended.
  const several = fields.length > 0 && (fields[0] === undefined || Array.isArray(fields[0]));
  if (!several) return { fields, rows };
  const at = fields.findIndex((each) => Array.isArray(each));
  if (at < 0) return { done: rows.at(-1) as ResultSetHeader };
  return { fields: fields[at] as unknown as FieldPacket[], rows: rows[at] };
}

/** What the last header says: that of a statement, or of a procedure behind its rows. Rows alone say nothing. */
function endsInTransaction(rows: unknown): boolean {
  const last: unknown = Array.isArray(rows) ? rows.at(-1) : rows;
  const { serverStatus = 0 } = (last ?? {}) as { readonly serverStatus?: unknown };
  return typeof serverStatus === 'number' && (serverStatus & openTransaction) !== 0;
}

/** What mysql2 binds with the type that the value has. */
function parameter(value: unknown): unknown {
  if (typeof value === 'bigint') {
    return value >= beyondSigned ? LONGLONG.unsigned(value) : LONGLONG(value);
  }
  if (value instanceof Uint8Array && !Buffer.isBuffer(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

function isUnpreparable(error: Error | null): boolean {
  return error !== null && 'errno' in error && error.errno === 1295;
}
