import { Content } from '../../../../foundation/contracts/content.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import { headerProblem } from '../../headers.ts';
import { follow } from '../../redirect.ts';
import { type HttpAnswer, HttpFailure, type HttpSender } from '../../request.ts';
import type { HttpRequest } from '../http-request.ts';
import { challengesOf } from './challenge.ts';
import { DigestSession, type DigestUser, strongestOf } from './session.ts';

/** Attempts of one request: without credentials or with old ones, with new ones, and again where their nonce was too old. */
const mostAttempts = 3;

/**
 * Answers the challenges of one origin with Digest credentials (RFC 7616), and uses the last challenge for what is sent next,
 * as long as it is taken. A peer that has offered SHA-256 is never answered with MD5.
 */
export class DigestSender implements HttpSender {
  readonly #inner: HttpSender;
  readonly #origin: string;
  readonly #user: DigestUser;
  #session: DigestSession | undefined;
  #isStrong = false;

  constructor(inner: HttpSender, origin: string, user: DigestUser) {
    this.#inner = inner;
    this.#origin = origin;
    this.#user = user;
  }

  get ended(): AbortSignal {
    return this.#inner.ended;
  }

  /** Rejects as the sender does, and with `connector_failed` for a challenge that must not be answered. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    if (request.origin !== this.#origin || isAuthorized(request)) return this.#inner.send(request);
    const end = systemClock.elapsed() + request.deadline;
    const { body } = request;
    if (this.#session === undefined && body instanceof Content && body.bytes.once) await this.#ask(request, end);
    const answer = await this.#exchange(request, end);
    // What is redirected is another request, with credentials of its own.
    if (request.redirects === false) return answer;
    return follow(request, answer, (next) => this.#exchange(next, end));
  }

  close(cut?: AbortSignal): Promise<void> {
    return this.#inner.close(cut);
  }

  async #exchange(request: HttpRequest, end: number): Promise<HttpAnswer> {
    let session = this.#session;
    for (let attempt = 1, isNew = false; ; attempt++) {
      const answer = await this.#attempt(request, session, end);
      if (answer.status !== 401) return answer;
      const challenged = this.#challenged(answer);
      const { body } = request;
      if (challenged === undefined || attempt === mostAttempts) return answer;
      // The credentials themselves were refused.
      if (isNew && !challenged.challenge.stale) return answer;
      this.#session = challenged;
      if (body instanceof Content && body.bytes.once) return answer;
      session = challenged;
      isNew = true;
    }
  }

  /** A body that can be sent once is not spent on a challenge. */
  async #ask({ origin, path, headers, signal, deadline }: HttpRequest, end: number): Promise<void> {
    const question = { method: 'HEAD', origin, path, headers, signal, deadline };
    const answer = await this.#attempt(question, undefined, end);
    if (answer.status === 401) this.#session ??= this.#challenged(answer);
  }

  async #attempt(request: HttpRequest, session: DigestSession | undefined, end: number): Promise<HttpAnswer> {
    const headers = session === undefined ? request.headers : [...request.headers, ...authorized(session, request)];
    const deadline = Math.max(end - systemClock.elapsed(), 1);
    const answer = await this.#inner.send({ ...request, headers, deadline, redirects: false });
    if (session !== undefined && session === this.#session) this.#continue(session, answer);
    return answer;
  }

  /** The challenge of the answer, if it can be answered. */
  #challenged(answer: HttpAnswer): DigestSession | undefined {
    const challenge = strongestOf(challengesOf(answer.headers['www-authenticate']));
    if (challenge === undefined) return undefined;
    if (challenge.algorithm === 'SHA-256') this.#isStrong = true;
    else if (this.#isStrong) {
      const says = `${this.#origin} asks for Digest credentials with MD5 although it has offered SHA-256: they are not sent`;
      throw new HttpFailure('connector_failed', says, true, { retriable: false });
    }
    return new DigestSession(challenge, this.#user);
  }

  /** The peer may say which nonce is next (RFC 7616, 3.5). */
  #continue({ challenge }: DigestSession, { headers }: HttpAnswer): void {
    const info = headers['authentication-info'];
    if (typeof info !== 'string') return;
    const [read] = challengesOf(`info ${info}`);
    const nonce = read?.parameters.get('nextnonce');
    if (nonce) this.#session = new DigestSession({ ...challenge, nonce }, this.#user);
  }
}

function authorized(session: DigestSession, { method, path }: HttpRequest): readonly [string, string] {
  const value = session.authorization(method, path);
  const problem = headerProblem('authorization', value);
  if (problem === undefined) return ['authorization', value];
  throw new HttpFailure('connector_failed', `the challenge cannot be answered: ${problem}`, true, { retriable: false });
}

function isAuthorized({ headers }: HttpRequest): boolean {
  return headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization');
}
