import { setMaxListeners } from 'node:events';
import { type AddressInfo, createServer as createPlain, type Server, type Socket } from 'node:net';
import { createServer as createSecure, type TlsOptions } from 'node:tls';
import { Timestamp } from 'mongodb';
import { CommandError } from './command-error.ts';
import { Commands } from './commands.ts';
import { FailPoints } from './fail-points.ts';
import { SignIn, type User } from './sign-in.ts';
import { StandInTransactions } from './transactions.ts';
import { answerTo, type Command, type Fields, MessageReader } from './wire.ts';

export interface StandInOptions {
  /** Certificate and key; absent: it speaks in clear. */
  readonly tls?: TlsOptions | undefined;
  /** Who may sign in; absent: everybody may do everything. */
  readonly users?: readonly User[] | undefined;
  /** False: a server that is standalone, which has no change streams and repeats no write. */
  readonly isReplicaSet?: boolean | undefined;
}

/** A command that is being executed. */
interface Operation {
  readonly name: string;
  readonly fields: Fields;
}

/** Commands that are executed while no client has signed in. */
const unguarded = ['hello', 'isMaster', 'ismaster', 'ping', 'saslStart', 'saslContinue', 'endSessions'];

/**
 * Replaces a MongoDB server where no server can be had: the wire protocol with the encoding of the official driver, and
 * documents with the semantics of mingo. It shows how the driver is used, not what MongoDB does.
 */
export class MongodbStandIn {
  readonly commands: Commands;
  readonly transactions: StandInTransactions;
  readonly failPoints = new FailPoints();
  /** Answers of writes by session and number: one that comes again is answered and not done again. */
  readonly #done = new Map<string, Fields>();
  readonly #operations = new Set<Operation>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #users: readonly User[];
  readonly #isReplicaSet: boolean;
  #answers = 0;

  constructor({ tls, users = [], isReplicaSet = true }: StandInOptions = {}) {
    this.#users = users;
    this.commands = new Commands({ address: () => `127.0.0.1:${this.port}`, isReplicaSet });
    this.transactions = new StandInTransactions(this.commands);
    this.#isReplicaSet = isReplicaSet;
    const serve = (socket: Socket) => this.#serve(socket);
    this.#server = tls === undefined ? createPlain(serve) : createSecure(tls, serve);
  }

  static async start(options?: StandInOptions): Promise<MongodbStandIn> {
    const made = new MongodbStandIn(options);
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Commands of a name that are being executed. */
  running(name: string): number {
    return [...this.#operations].filter((operation) => operation.name === name).length;
  }

  /** What of them was asked. */
  asked(name: string): readonly Fields[] {
    return [...this.#operations].flatMap((operation) => (operation.name === name ? [operation.fields] : []));
  }

  async stop(): Promise<void> {
    this.failPoints.end();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    const reader = new MessageReader();
    const signIn = new SignIn(this.#users);
    const gone = new AbortController();
    setMaxListeners(0, gone.signal);
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      gone.abort();
    });
    socket.on('data', (piece: Buffer) => {
      try {
        for (const command of reader.read(piece)) void this.#answer(socket, command, signIn, gone.signal);
      } catch {
        // What cannot be read is not a client of this protocol.
        socket.destroy();
      }
    });
  }

  async #answer(socket: Socket, command: Command, signIn: SignIn, signal: AbortSignal): Promise<void> {
    const name = Object.keys(command.fields)[0] as string;
    const operation = { name, fields: command.fields };
    this.#operations.add(operation);
    const left = () => this.#operations.delete(operation);
    signal.addEventListener('abort', left, { once: true });
    let answer: Fields;
    try {
      const disturbed = await this.#disturb(name, command.fields, signal);
      if (disturbed) return void socket.destroy();
      if (signal.aborted) return;
      answer = { ok: 1, ...(await this.#execute(name, command.fields, signIn, signal)) };
    } catch (error) {
      answer =
        error instanceof CommandError ? error.answer : { ok: 0, code: 2, codeName: 'BadValue', errmsg: String(error) };
    } finally {
      left();
      signal.removeEventListener('abort', left);
    }
    const time = new Timestamp({ t: Math.floor(Date.now() / 1000), i: ++this.#answers });
    if (!socket.destroyed) socket.write(answerTo(command, { ...answer, operationTime: time }));
  }

  /** Does what a fail point says; whether the connection ends. */
  async #disturb(name: string, fields: Fields, signal: AbortSignal): Promise<boolean> {
    const { maxTimeMS } = fields;
    const disturbance = this.failPoints.of(name, fields);
    if (disturbance === undefined) return false;
    const { promise: gone, resolve } = Promise.withResolvers<'gone'>();
    signal.addEventListener('abort', () => resolve('gone'), { once: true });
    const late = Promise.withResolvers<'late'>();
    const timer = maxTimeMS === undefined ? undefined : setTimeout(late.resolve, Number(maxTimeMS), 'late');
    const end = await Promise.race([disturbance.wait, gone, late.promise]);
    clearTimeout(timer);
    if (end === 'late') throw new CommandError(50, 'MaxTimeMSExpired', 'operation exceeded time limit');
    if (disturbance.error !== undefined) throw disturbance.error;
    return disturbance.closes;
  }

  #execute(name: string, command: Fields, signIn: SignIn, signal: AbortSignal): Promise<Fields> | Fields {
    const database = String(command['$db']);
    if (name === 'saslStart') return signIn.start(command, database);
    if (name === 'saslContinue') return signIn.continue(command);
    if (name === 'configureFailPoint') return this.failPoints.configure(command);
    if (!signIn.isDone && !unguarded.includes(name))
      throw new CommandError(13, 'Unauthorized', `Command ${name} requires authentication`);
    if (command['autocommit'] === false) {
      if (!this.#isReplicaSet) throw standaloneRefusal();
      return this.transactions.run(name, database, command, signal);
    }
    const key = writeKey(command);
    const before = key === undefined ? undefined : this.#done.get(key);
    if (before !== undefined) return before;
    const answer = this.commands.run(name, database, command, signal);
    if (key !== undefined && !(answer instanceof Promise)) this.#done.set(key, answer);
    return answer;
  }
}

function standaloneRefusal(): CommandError {
  const text = 'Transaction numbers are only allowed on a replica set member or mongos';
  return new CommandError(20, 'IllegalOperation', text);
}

/** Session and number of a write that the client may send again. */
function writeKey({ txnNumber, lsid }: Fields): string | undefined {
  if (txnNumber === undefined) return undefined;
  const { id } = lsid as { readonly id: { toString(encoding: string): string } };
  return `${id.toString('hex')}:${txnNumber}`;
}
