import type { HttpExchange, HttpRoute } from '../../../foundation/contracts/http.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { failureOf } from '../../../foundation/errors/answered.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { messageBudget } from '../../../platform/formats/budget.ts';
import { readBody } from '../../../platform/http/body/body.ts';
import { parseMediaType } from '../../../platform/http/body/media-type.ts';
import { dropAnswer } from '../../../platform/http/drop-answer.ts';
import { headerPairs } from '../../../platform/http/response-headers.ts';
import { FaultFailure } from '../envelope/fault-failure.ts';
import { readEnvelope } from '../envelope/read.ts';
import type { Envelope } from '../envelope/reader.ts';
import { type SoapVersion, versions } from '../envelope/version.ts';
import { OperationEnvelope } from '../envelope/write.ts';
import { isSecurity, type TokenCheck } from '../security/user-name-token.ts';
import { edgeFaultForm, faultForm } from './fault-form.ts';
import type { Operation, Operations } from './operations.ts';
import { SoapMessage } from './soap-message.ts';

/** What the endpoint is made of. */
export interface EndpointOptions {
  readonly version: SoapVersion;
  readonly namespace: string;
  /** Whether the elements inside that of an answer have its namespace. */
  readonly isQualified: boolean;
  /** Bytes. */
  readonly maxBody: number;
  readonly operations: Operations;
  /** Asked of every request; undefined: headers say nothing about who calls. */
  readonly tokens: TokenCheck | undefined;
}

/** Takes requests by POST at any path. */
export function endpointRoutes(options: EndpointOptions): readonly HttpRoute[] {
  const endpoint = new Endpoint(options);
  const refusal = edgeFaultForm(options.version);
  const handle = (exchange: HttpExchange) => endpoint.handle(exchange);
  return ['/', '/*'].map((path) => ({ method: 'POST', path, refusal, handle }));
}

class Endpoint {
  readonly #options: EndpointOptions;
  readonly #form: ReturnType<typeof faultForm>;
  readonly #answers: ReadonlyMap<Operation, OperationEnvelope>;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#form = faultForm(options.version);
    const { version, namespace, isQualified, operations } = options;
    this.#answers = new Map(
      operations.all.map((each) => [
        each,
        new OperationEnvelope(version, namespace, `${each.name}Response`, isQualified),
      ]),
    );
  }

  handle(exchange: HttpExchange): void {
    const { version, maxBody } = this.#options;
    let charset: string | undefined;
    try {
      charset = charsetOf(exchange, version);
    } catch (error) {
      return exchange.refuse(error);
    }
    readBody(exchange, maxBody, (bytes) => {
      if (bytes instanceof Failure) return exchange.refuse(bytes);
      this.#guarded(exchange, () => {
        const envelope = readEnvelope(bytes, charset, messageBudget);
        if (!(envelope instanceof Promise)) return this.#run(exchange, envelope);
        envelope.then(
          (late) => this.#guarded(exchange, () => this.#run(exchange, late)),
          (error: unknown) => this.#refuse(exchange, error),
        );
      });
    });
  }

  #run(exchange: HttpExchange, { version, headers, operation: element, content }: Envelope): void {
    const { operations, tokens } = this.#options;
    if (version !== this.#options.version)
      throw new FaultFailure('VersionMismatch', `SOAP ${this.#options.version} is served, not ${version}`);
    const auth: Auth = tokens === undefined ? exchange.auth : tokens.check(headers);
    const unknown = headers.find((block) => block.mustUnderstand && !(tokens !== undefined && isSecurity(block)));
    if (unknown !== undefined)
      throw new FaultFailure('MustUnderstand', `the header ${unknown.local.slice(0, 100)} is not understood`);
    if (element === undefined) throw new FaultFailure('Client', 'the body has no element');
    const operation = operations.find(element.local);
    if (operation === undefined) throw new Failure('not_found', `Unknown operation: ${element.local.slice(0, 200)}`);
    const { deliver, flow } = operation.binding;
    const message = new SoapMessage(exchange, operation.name, operations.inputOf(operation, content), auth);
    const outcome = deliver(message);
    if (!(outcome instanceof Promise)) return this.#answer(exchange, operation, outcome);
    outcome.then(
      (late) => this.#guarded(exchange, () => this.#answer(exchange, operation, late)),
      (error: unknown) => this.#refuse(exchange, asFailure(error, { flow })),
    );
  }

  #answer(exchange: HttpExchange, operation: Operation, outcome: Outcome): void {
    if (outcome.kind === 'drop') {
      const answered = dropAnswer(outcome);
      if (answered instanceof Failure) throw answered;
      return this.#send(exchange, operation, answered, 200, undefined);
    }
    const { value, status = 200, headers } = outcome;
    if (outcome.kind === 'failed')
      return exchange.refuse(failureOf(outcome), headers && withoutType(headerPairs(headers)), this.#form);
    if (status < 200) throw new Failure('internal', `the status ${status} cannot end an exchange`);
    const pairs = headers === undefined ? undefined : withoutType(headerPairs(headers));
    if (status === 204 || status === 304) return exchange.send(status, undefined, '', pairs);
    this.#send(exchange, operation, this.#options.operations.answerOf(operation, value), status, pairs);
  }

  #send(
    exchange: HttpExchange,
    operation: Operation,
    value: unknown,
    status: number,
    headers: readonly string[] | undefined,
  ): void {
    const { contentType } = versions[this.#options.version];
    const answer = this.#answers.get(operation) as OperationEnvelope;
    const pieces = answer.pieces(value);
    if (pieces === undefined) exchange.send(status, contentType, answer.text(value), headers);
    else exchange.stream(status, contentType, { pieces }, headers);
  }

  #guarded(exchange: HttpExchange, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#refuse(exchange, error);
    }
  }

  #refuse(exchange: HttpExchange, error: unknown): void {
    const failure = asFailure(error);
    // What is beyond a limit of the server has the status that HTTP has for it.
    if (failure.code === 'body_too_large') exchange.refuse(failure);
    else exchange.refuse(failure, undefined, this.#form);
  }
}

/** The character set that a request says. Throws `media_type_unsupported` for what is not an envelope of the version. */
function charsetOf({ request: { headers } }: HttpExchange, version: SoapVersion): string | undefined {
  const { mediaType } = versions[version];
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupported(`a body with Content-Encoding ${encoding} is not accepted`);
  const written = headers['content-type'];
  if (written === undefined) throw unsupported(`a request must say its Content-Type, ${mediaType}`);
  const type = parseMediaType(written);
  if (type === undefined) throw unsupported('the Content-Type of the body is malformed');
  if (type.type.startsWith('multipart/'))
    throw unsupported(`attachments (MTOM, ${type.type}) are not accepted; send the envelope alone, as ${mediaType}`);
  if (type.type !== mediaType)
    throw unsupported(`a body of type ${type.type} is not accepted; SOAP ${version} is sent as ${mediaType}`);
  return type.parameters.get('charset');
}

/** The Content-Type is that of the envelope. */
function withoutType(headers: readonly string[]): readonly string[] {
  return headers.filter((_, at) => (headers[at - (at % 2)] as string).toLowerCase() !== 'content-type');
}

function unsupported(message: string): Failure {
  return new Failure('media_type_unsupported', message);
}
