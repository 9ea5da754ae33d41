import { Socket } from 'node:net';
import { Duplex, Writable } from 'node:stream';

/** What the streams of Node keep about themselves; nothing of it is read here. */
interface States {
  readonly _readableState: unknown;
  readonly _writableState: unknown;
}

/** Options of a stream; a connection that a server takes has a handle. */
interface Options {
  readonly handle?: unknown;
  readonly allowHalfOpen?: boolean;
}

type StateConstructor = new (options: Options | undefined, stream: object, isDuplex: boolean) => object;

type Method = (...values: readonly unknown[]) => unknown;

/** The methods of a stream that Node calls when a write has ended. */
type Methods = Readonly<Record<'emit' | 'destroy' | '_write' | '_writev' | '_final', Method>>;

/** What Node's `Duplex` makes the state of its writable side with. */
const writable = Writable as unknown as { WritableState?: StateConstructor };
const NodeState = writable.WritableState ?? (Object as unknown as StateConstructor);

/**
 * The version of Node in which it was checked what is called over a link. Another version may call more: it is left as it
 * is until the tests of this file have run with it.
 */
const checkedVersion = 'v24.21.0';

/** The state of a stream takes its stream for this one function alone. */
const expected =
  /^function WritableState\(options, stream, isDuplex\) \{[\s\S]*this\.onwrite = \(er\) => onwrite\(stream, er\);/;

/** What a link leads to when it is cut: a stream that has ended, for which Node does nothing. */
const ended = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
ended.destroy();

/** Does for a stream what Node does with it when a write has ended. */
class Link {
  _readableState: unknown;
  _writableState: unknown = undefined;
  #stream: Methods & States;

  constructor(stream: Methods & States) {
    this.#stream = stream;
    // Node makes this state first.
    this._readableState = stream._readableState;
  }

  emit(...values: readonly unknown[]): unknown {
    return this.#stream.emit(...values);
  }

  destroy(error?: unknown): unknown {
    return this.#stream.destroy(error);
  }

  _write(...values: readonly unknown[]): unknown {
    return this.#stream._write(...values);
  }

  _writev(...values: readonly unknown[]): unknown {
    return this.#stream._writev(...values);
  }

  _final(...values: readonly unknown[]): unknown {
    return this.#stream._final(...values);
  }

  cut(): void {
    const stream = ended as unknown as Methods & States;
    this.#stream = stream;
    this._readableState = stream._readableState;
    this._writableState = stream._writableState;
  }
}

/** The state of a connection, which is reached from what Node calls by a link. */
class LinkedState extends NodeState {
  readonly link: Link;

  constructor(options: object, stream: object) {
    const link = new Link(stream as Methods & States);
    super(options, link, true);
    link._writableState = this;
    this.link = link;
  }
}

/**
 * Makes connections that servers take from now on releasable.
 *
 * Node gives the state of each stream a function that is called when a write has ended. V8 puts a function that is
 * assigned to a property into its old space at once, and what a dead object of the old space reaches is kept until that
 * space is collected: every connection that there was, with 2 KB of HTTP that it reaches. A storm of new connections
 * fills the old space every few seconds in this way, and its collection pauses the process. With a link between the
 * function and the stream, what is kept ends at the link.
 *
 * Calling it again changes nothing. Another version of Node is left as it is, and nothing is released early
 * there.
 */
export function linkConnections(): void {
  if (process.version !== checkedVersion) return;
  if (writable.WritableState !== NodeState || !expected.test(String(NodeState))) return;
  const make = function WritableState(options: Options | undefined, stream: object, isDuplex: boolean): object {
    return isTaken(options, stream) ? new LinkedState(options, stream) : new NodeState(options, stream, isDuplex);
  };
  make.prototype = NodeState.prototype;
  writable.WritableState = make as unknown as StateConstructor;
}

/** Releases a connection that has ended. */
export function releaseConnection(socket: Socket): void {
  const { _writableState: state } = socket as unknown as States;
  if (state instanceof LinkedState) state.link.cut();
}

/** Whether a stream is a connection that a server has taken, as servers of HTTP take them. */
function isTaken(options: Options | undefined, stream: object): options is Options {
  return options?.handle !== undefined && options.allowHalfOpen === true && stream.constructor === Socket;
}
