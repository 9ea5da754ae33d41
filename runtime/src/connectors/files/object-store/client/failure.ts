import { Failure } from '../../../../foundation/errors/failure.ts';
import { textIn } from '../../../../platform/aws/answer.ts';
import { type Credentials, withoutSecrets } from '../../../../platform/aws/credentials/credentials.ts';
import { retryAfterOf, single } from '../../../../platform/net/client/answer.ts';
import { type HttpAnswer, HttpFailure } from '../../../../platform/net/request.ts';
import { notFound } from '../../tree.ts';
import { conditionFailed } from '../object-headers.ts';
import { readAnswer } from './answer.ts';

/** What an answer says of an error (Amazon S3 API, "Error responses"). */
export interface Refusal {
  readonly status: number;
  /** Such as `NoSuchKey`; that of the status where the server gave none, as to HEAD. */
  readonly code: string;
  readonly message: string;
  readonly retryAfter: number | undefined;
  /** Where the bucket is, when the server says it. */
  readonly region: string | undefined;
  /** The condition that does not hold, when the server says it. */
  readonly condition: string | undefined;
}

const longestMessage = 300;
/** Bytes in which a document begins, with the blanks before it: a server sends one every few seconds. */
const longestBeginning = 8192;

/** Codes of answers without a body. */
const ofStatus: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  304: 'NotModified',
  403: 'AccessDenied',
  404: 'NotFound',
  412: 'PreconditionFailed',
  416: 'InvalidRange',
};

/** The root of a document of XML that says an error; blanks are sent while a server works. */
const errorDocument = /^\s*(?:<\?xml[^>]*>)?\s*<Error[\s>]/;

/** Reads an error out of an answer; undefined where the answer is good. A copy may fail after its head was sent, with 200. */
export async function refusalIn(
  answer: HttpAnswer,
  credentials: Credentials,
  now: number,
): Promise<Refusal | undefined> {
  const { status, body, headers } = answer;
  const isGood = status >= 200 && status < 300;
  if (isGood && !errorDocument.test(body.subarray(0, longestBeginning).toString('latin1'))) return undefined;
  // An error page of a proxy is not XML.
  const said = body.length === 0 ? {} : await readAnswer(body).catch(() => ({}));
  const code = textIn(said, 'Code') ?? ofStatus[status] ?? `HTTP ${status}`;
  const message = withoutSecrets(textIn(said, 'Message') ?? '', credentials).slice(0, longestMessage);
  const region = single(headers['x-amz-bucket-region']) ?? textIn(said, 'Region');
  const condition = textIn(said, 'Condition');
  return { status: isGood ? 500 : status, code, message, retryAfter: retryAfterOf(answer, now), region, condition };
}

/** Codes of temporary errors with a status that says something else. */
const temporary: readonly string[] = [
  'RequestTimeout',
  'OperationAborted',
  'ConditionalRequestConflict',
  'SlowDown',
  'InternalError',
];

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
  NotImplemented: 'the object store has nothing of this kind',
};

/** What is refused. */
interface Asked {
  /** Of the object, as flows write it. */
  readonly path: string;
  /** The same of the object that is copied, if one is. */
  readonly source?: string | undefined;
  readonly isConditional?: boolean | undefined;
}

/** What a refusal becomes for the flow. */
export function failureOf(
  refusal: Refusal,
  { path, source = path, isConditional = false }: Asked,
  ownRegion: string,
): Failure {
  const { status, code, message, retryAfter, region, condition = '' } = refusal;
  const said = `${code}${message === '' ? '' : `: ${message}`}`;
  if (code === 'NoSuchKey' || code === 'NotFound') return notFound(source);
  if (status === 412 && isConditional && !/^x-amz-copy-source/i.test(condition)) return conditionFailed(path);
  if (code === 'PreconditionFailed')
    return new Failure('connector_failed', `"${source}" was replaced meanwhile`, {
      upstream: { status, body: said },
      retriable: true,
    });
  if (ofMessages.includes(code))
    return new Failure('value_refused', `"${path}" is refused by the object store: ${said}`);
  if (isElsewhere(refusal) && region !== undefined && region !== ownRegion) {
    const text = `the bucket is in the region "${region}": write region = "${region}"`;
    return new Failure('connector_failed', text, { retriable: false });
  }
  const text = advice[code] === undefined ? `the object store answered ${said}` : `${advice[code]} (${said})`;
  const retriable = isTemporary(refusal);
  return new Failure('upstream_error', text, { upstream: { status, body: said }, retryAfter, retriable });
}

/** Whether the answer is that of a server which does not have the bucket. */
function isElsewhere({ status, code }: Refusal): boolean {
  return (status >= 300 && status < 400) || code === 'AuthorizationHeaderMalformed';
}

/** Whether the same request may be answered otherwise a little later: also of a bucket so new that names lead elsewhere. */
export function isTemporary({ status, code }: Refusal): boolean {
  if (status === 501) return false;
  return status >= 500 || [307, 408, 429].includes(status) || temporary.includes(code);
}

/** Whether a server certainly did nothing. */
export function isUndone({ code, status }: Refusal): boolean {
  return code === 'SlowDown' || status === 307;
}

/** A temporary refusal as what decides about repetition reads it. */
export function asHttpFailure(refusal: Refusal): HttpFailure {
  const { status, code, retryAfter } = refusal;
  return new HttpFailure('upstream_error', code, !isUndone(refusal), {
    upstream: { status: Math.max(status, 500), body: code },
    retryAfter,
  });
}
