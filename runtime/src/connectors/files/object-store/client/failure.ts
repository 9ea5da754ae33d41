import { readXml, textIn } from '../../../../aws/answer.ts';
import { type Credentials, withoutSecrets } from '../../../../aws/credentials/credentials.ts';
import { Failure } from '../../../../errors/failure.ts';
import { retryAfterOf, single } from '../../../../net/client/answer.ts';
import { type HttpAnswer, HttpFailure } from '../../../../net/request.ts';
import { notFound } from '../../tree.ts';

/** What an answer says of an error (Amazon S3 API, "Error responses"). */
export interface Refusal {
  readonly status: number;
  /** Such as `NoSuchKey`; that of the status where the server gave none, as to HEAD. */
  readonly code: string;
  readonly message: string;
  readonly retryAfter: number | undefined;
  /** Where the bucket is, when it is elsewhere. */
  readonly region: string | undefined;
}

const longestMessage = 300;

/** Codes of answers without a body. */
const ofStatus: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  304: 'NotModified',
  403: 'AccessDenied',
  404: 'NotFound',
  412: 'PreconditionFailed',
  416: 'InvalidRange',
};

/** Reads an error out of an answer; undefined where the answer is good. A copy may fail after its head was sent, with 200. */
export async function refusalIn(
  answer: HttpAnswer,
  credentials: Credentials,
  now: number,
): Promise<Refusal | undefined> {
  const { status, body, headers } = answer;
  const isGood = status >= 200 && status < 300;
  if (isGood && !/<Error[\s>]/.test(body.subarray(0, 1024).toString('latin1'))) return undefined;
  // An error page of a proxy is not XML.
  const said = body.length === 0 ? {} : await readXml(body).catch(() => ({}));
  const code = textIn(said, 'Code') ?? ofStatus[status] ?? `HTTP ${status}`;
  const message = withoutSecrets(textIn(said, 'Message') ?? '', credentials).slice(0, longestMessage);
  const region = single(headers['x-amz-bucket-region']) ?? textIn(said, 'Region');
  return { status: isGood ? 500 : status, code, message, retryAfter: retryAfterOf(answer, now), region };
}

/** Codes of temporary errors with a status that says something else. */
const temporary: readonly string[] = ['RequestTimeout', 'OperationAborted', 'SlowDown', 'InternalError'];

/** Codes that say that the credentials have ended, or are not known (yet). */
export const endedCredentials: readonly string[] = [
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidToken',
  'TokenRefreshRequired',
];

/** Codes that what a message brought is the reason for. */
const ofMessages: readonly string[] = [
  'KeyTooLongError',
  'KeyTooLong',
  'MetadataTooLarge',
  'EntityTooLarge',
  'InvalidURI',
];

const advice: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'the access key is not known: check access_key',
  SignatureDoesNotMatch: 'the signature is refused: check secret_key and region',
  AccessDenied: 'the credentials may not do that',
  NoSuchBucket: 'the bucket does not exist',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
};

/** What a refusal becomes for the flow. `path` is that of the object as flows write it. */
export function failureOf(
  refusal: Refusal,
  { path, isConditional = false }: { readonly path: string; readonly isConditional?: boolean | undefined },
): Failure {
  const { status, code, message, retryAfter, region } = refusal;
  if (code === 'NoSuchKey' || code === 'NotFound') return notFound(path);
  if (code === 'PreconditionFailed' && isConditional)
    return new Failure('precondition_failed', `"${path}" is not written: its condition does not hold`);
  if (code === 'PreconditionFailed')
    return new Failure('connector_failed', `"${path}" was replaced meanwhile`, { retriable: true });
  const said = `${code}${message === '' ? '' : `: ${message}`}`;
  if (ofMessages.includes(code))
    return new Failure('value_refused', `"${path}" is refused by the object store: ${said}`);
  if (status >= 300 && status < 400 && region !== undefined) {
    const text = `the bucket is in the region "${region}": write region = "${region}"`;
    return new Failure('connector_failed', text, { retriable: false });
  }
  const text = advice[code] === undefined ? `the object store answered ${said}` : `${advice[code]} (${said})`;
  const retriable = isTemporary(refusal);
  return new Failure('upstream_error', text, { upstream: { status, body: said }, retryAfter, retriable });
}

/** Whether the same request may be answered otherwise a little later. */
export function isTemporary({ status, code }: Refusal): boolean {
  return status >= 500 || status === 429 || status === 408 || temporary.includes(code);
}

/** The refusal of an attempt as what decides about repetition reads it. */
export function asHttpFailure(refusal: Refusal): HttpFailure {
  const { status, code, retryAfter } = refusal;
  const counted = isTemporary(refusal) ? Math.max(status, 500) : status;
  return new HttpFailure('upstream_error', code, true, { upstream: { status: counted, body: code }, retryAfter });
}
