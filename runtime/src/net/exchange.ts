import type { Dispatcher } from 'undici';
import type { Spool } from '../content/spool.ts';
import { Failure, type FailureOptions } from '../errors/failure.ts';
import type { FailureCode } from '../errors/failures.ts';

/** A failed exchange that knows whether any of the request may have reached the peer. */
export class HttpFailure extends Failure {
  /** False: it is certain that nothing was sent, so that repeating changes nothing twice. */
  readonly sent: boolean;

  constructor(code: FailureCode, message: string, sent: boolean, options?: FailureOptions) {
    super(code, message, options);
    this.sent = sent;
  }
}

/** One answer, read to its end. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty where `kept` has it. */
  readonly body: Buffer;
  /** Keeps the body, where the request asked for it; whoever takes the answer closes it. */
  readonly kept?: Spool | undefined;
}

/** Gives what a body is kept in, by the headers of its answer; undefined: it is taken into memory. */
export type Keep = (headers: HttpAnswer['headers']) => Spool | undefined;

/** Bytes of a document that the service fetches for its own use, such as keys or an access token. */
export const documentLimit = 1_048_576;

/** Bytes kept of the body of an error answer: it is only ever shown. */
const errorBodyLimit = 64 * 1024;
const nothing = Buffer.alloc(0);

/** Receives one answer from undici, never more than `limit` bytes, and settles exactly once. */
export class Exchange implements Dispatcher.DispatchHandler {
  sent = false;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (failure: HttpFailure) => void;
  readonly #limit: number;
  readonly #peer: string;
  #settled = false;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #statusText = '';
  #headers: HttpAnswer['headers'] = {};
  #chunks: Buffer[] = [];
  #size = 0;
  readonly #keep: Keep | undefined;
  #kept: Spool | undefined;
  /** Settles when what has come is kept. */
  #keeping: Promise<void> | undefined;

  constructor(
    peer: string,
    limit: number,
    keep: Keep | undefined,
    resolve: (answer: HttpAnswer) => void,
    reject: (failure: HttpFailure) => void,
  ) {
    this.#peer = peer;
    this.#limit = limit;
    this.#keep = keep;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Gives up: the caller is told at once, the connection is dropped as soon as there is one. */
  fail(code: FailureCode, message: string, options?: FailureOptions): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#kept?.close();
    this.#reject(new HttpFailure(code, message, this.sent, options));
    this.#controller?.abort(new Error('abandoned'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) {
      controller.abort(new Error('abandoned'));
      return;
    }
    this.#controller = controller;
    this.sent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: HttpAnswer['headers'],
    statusText?: string,
  ): void {
    this.#status = status;
    this.#statusText = statusText ?? '';
    this.#headers = headers;
    const declared = Number(headers['content-length']);
    if (status < 400 && declared > this.#limit) this.#tooLarge();
    else if (status >= 200 && status < 300 && !this.#settled) this.#kept = this.#keep?.(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // A parser that goes on after a pause first hands over nothing.
    if (this.#settled || chunk.length === 0) return;
    this.#size += chunk.length;
    if (this.#status >= 400) {
      if (this.#size - chunk.length < errorBodyLimit) this.#chunks.push(chunk);
      if (this.#size >= errorBodyLimit) {
        this.#answer();
        this.#controller?.abort(new Error('abandoned'));
      }
      return;
    }
    if (this.#size > this.#limit) this.#tooLarge();
    else if (this.#kept !== undefined) this.#append(this.#kept, controller, chunk);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#keeping === undefined) this.#answer();
    else this.#keeping.then(() => this.#answer());
  }

  /** The peer sends no faster than its bytes are kept. */
  #append(kept: Spool, controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const failed = (error: unknown) => {
      const { code, message } = error instanceof Failure ? error : new Failure('internal', String(error));
      this.fail(code, message, { cause: error });
    };
    try {
      const before = this.#keeping;
      const appended =
        before === undefined ? kept.append(chunk) : before.then(() => this.#settled || kept.append(chunk));
      if (!(appended instanceof Promise)) return;
      controller.pause();
      const keeping = appended.then(() => undefined, failed);
      this.#keeping = keeping;
      keeping.then(() => {
        if (this.#keeping !== keeping) return;
        this.#keeping = undefined;
        if (!this.#settled) controller.resume();
      });
    } catch (error) {
      failed(error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#settled) return;
    const [code, message] = describe(error, this.#peer, this.sent);
    this.fail(code, message, { cause: error });
  }

  #answer(): void {
    if (this.#settled) return;
    this.#settled = true;
    const chunks = this.#chunks;
    const body = chunks.length === 0 ? nothing : chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    const [status, statusText, headers, kept] = [this.#status, this.#statusText, this.#headers, this.#kept];
    this.#resolve({ status, statusText, headers, body, kept });
  }

  #tooLarge(): void {
    this.#chunks = [];
    this.fail('connector_failed', `the answer of ${this.#peer} is larger than ${this.#limit} bytes`);
  }
}

const certificateCodes =
  /^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

/** Code and text for an error of the socket, the TLS layer or the parser. */
function describe(error: Error, peer: string, sent: boolean): [FailureCode, string] {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const reason = reasonOf(error);
  if (code === 'ETIMEDOUT' || code.endsWith('_TIMEOUT'))
    return ['connector_timeout', `${peer} did not answer: ${reason}`];
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return ['connector_failed', `the headers of the answer of ${peer} are too large`];
  }
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError')
    return ['connector_failed', `${peer} did not answer with HTTP: ${reason}`];
  if (code === 'UND_ERR_INVALID_ARG') return ['connector_failed', `the request cannot be sent: ${reason}`];
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return ['cancelled', `the client is closed`];
  if (certificateCodes.test(code)) return ['connector_refused', `no TLS connection to ${peer}: ${reason}`];
  return ['connector_refused', sent ? `the connection to ${peer} broke: ${reason}` : `cannot reach ${peer}: ${reason}`];
}

/** Several addresses were tried and the error that collects them says nothing itself. */
function reasonOf(error: Error): string {
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join(', ');
}
