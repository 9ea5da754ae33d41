import type { Dispatcher } from 'undici';
import { Failure, type FailureOptions } from '../../foundation/errors/failure.ts';
import type { FailureCode } from '../../foundation/errors/failures.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { Passage } from '../content/passage.ts';
import type { Spool } from '../content/spool.ts';
import { PassingBody } from './passing-body.ts';
import { isAnsweredInClear } from './spoken/form.ts';

/** A failed exchange that knows whether any of the request may have reached the peer. */
export class HttpFailure extends Failure {
  /** False: it is certain that nothing was sent, so that repeating changes nothing twice. */
  readonly sent: boolean;

  constructor(code: FailureCode, message: string, sent: boolean, options?: FailureOptions) {
    super(code, message, options);
    this.sent = sent;
  }
}

/** One answer, read to its end, but for a body that passes. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty where `kept` or `passing` has it. */
  readonly body: Buffer;
  /** Keeps the body, where the request asked for it; the caller that takes the answer closes it. */
  readonly kept?: Spool | undefined;
  /** Forwards the body as it comes, where the request asked for it; the caller that takes the answer closes it. */
  readonly passing?: Passage | undefined;
  /** It answers the request that another answer redirected to. */
  readonly isRedirected?: true | undefined;
}

/** Gives what a body is kept in, by the headers of its answer; undefined: it is taken into memory. */
export type Keep = (headers: HttpAnswer['headers']) => Spool | undefined;

/** Bytes of a document that the service fetches for its own use, such as keys or an access token. */
export const documentLimit = 1_048_576;

/** Bytes kept of the body of an error answer: it is only shown. */
const errorBodyLimit = 64 * 1024;
const nothing = Buffer.alloc(0);

export interface ExchangeOptions {
  /** For messages. */
  readonly peer: string;
  /** Bytes that the body may have. */
  readonly limit: number;
  readonly keep: Keep | undefined;
  /** What would be kept is forwarded as it comes; without `keep`, every good answer. */
  readonly pass: boolean;
  /** See `HttpRequest.silence`. */
  readonly silence?: number | undefined;
  /** Given where requests share a connection: its bytes may be of several answers. */
  readonly use?: { late(): void } | undefined;
  /** Milliseconds from now until the last byte. The maker of the exchange enforces it, but for a body that passes. */
  readonly deadline: number;
}

/** Receives one answer from what speaks HTTP, never more than `limit` bytes, and settles exactly once. */
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
  readonly #options: ExchangeOptions;
  readonly #end: number;
  #passes = false;
  /** Has the body after the first bytes of it. */
  #passing: PassingBody | undefined;
  #kept: Spool | undefined;
  /** Settles when what has come is kept. */
  #keeping: Promise<void> | undefined;

  constructor(options: ExchangeOptions, resolve: (answer: HttpAnswer) => void, reject: (failure: HttpFailure) => void) {
    this.#options = options;
    this.#peer = options.peer;
    this.#limit = options.limit;
    this.#end = options.pass ? systemClock.elapsed() + options.deadline : 0;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Whether its caller has been answered. */
  get isSettled(): boolean {
    return this.#settled;
  }

  /** Gives up: the caller is answered at once, the connection is dropped as soon as there is one. */
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
    else if (status >= 200 && status < 300 && !this.#settled) {
      const { keep, pass } = this.#options;
      const kept = keep?.(headers);
      this.#passes = pass && (keep === undefined || kept !== undefined);
      if (!this.#passes) this.#kept = kept;
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // A parser that continues after a pause first hands over nothing.
    if ((this.#settled && this.#passing === undefined) || chunk.length === 0) return;
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
    else if (this.#passes) this.#pass(controller, chunk);
    else if (this.#kept !== undefined) this.#append(this.#kept, controller, chunk);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#passing !== undefined) this.#passing.end();
    else if (this.#keeping === undefined) this.#answer();
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
    // A host that may not be connected to.
    if (error instanceof Failure)
      return this.fail(error.code, error.message, { cause: error, retriable: error.retriable });
    const [code, message] = describe(error, this.#peer, this.sent);
    this.#passing?.fail(new HttpFailure(code, message, true, { cause: error }));
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

  /** The answer is there with the first bytes of its body, and is settled with it. */
  #pass(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#passing !== undefined) return this.#passing.push(chunk);
    const { peer, deadline, silence, use } = this.#options;
    const says =
      silence === undefined ? `did not answer within ${Math.round(deadline)} ms` : `was silent for ${silence} ms`;
    const late = () => {
      use?.late();
      return new HttpFailure('connector_timeout', `${peer} ${says}`, true);
    };
    const left = silence ?? this.#end - systemClock.elapsed();
    this.#passing = new PassingBody(controller, left, late, silence !== undefined);
    const [status, statusText, headers, body] = [this.#status, this.#statusText, this.#headers, nothing];
    const declared = headers['content-length'];
    const size = declared === undefined ? undefined : Number(declared);
    // A chunk is a part of what was read from the connection, or all of it, which the client does not hold then.
    const isFreeable = use === undefined;
    const passing = new Passage({ size, begin: chunk, isFreeable, stream: this.#passing.stream });
    this.#passing.push(chunk);
    this.#settled = true;
    this.#resolve({ status, statusText, headers, body, passing });
  }

  #tooLarge(): void {
    this.#chunks = [];
    const message = `the answer of ${this.#peer} is larger than ${this.#limit} bytes`;
    this.#passing?.fail(new HttpFailure('connector_failed', message, true));
    this.fail('connector_failed', message);
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
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return ['connector_refused', 'the client is closed'];
  if (isAnsweredInClear(error))
    return ['connector_refused', `${peer} does not speak TLS: write http:// in its address`];
  if (certificateCodes.test(code)) return ['connector_refused', `no TLS connection to ${peer}: ${reason}`];
  return ['connector_refused', sent ? `the connection to ${peer} broke: ${reason}` : `cannot reach ${peer}: ${reason}`];
}

/** Several addresses were tried and the error that collects them says nothing itself. */
function reasonOf(error: Error): string {
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join(', ');
}
