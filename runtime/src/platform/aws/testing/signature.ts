import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Who may sign. */
export interface Keys {
  readonly access: string;
  readonly secret: string;
  readonly region: string;
  /** Absent: that of objects. */
  readonly service?: string;
}

const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
export const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/**
 * Checks the signature of a request as a server does, in its header or its query (AWS Signature Version 4, written from
 * its documentation). The reason why it is refused; undefined when it is right.
 */
export function signatureProblem(
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: Buffer,
  keys: Keys,
  now: number,
): string | undefined {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const pairs = query === '' ? [] : query.split('&').map((pair) => pair.split('=') as [string, string]);
  const parameter = (name: string) => decodeURIComponent(pairs.find(([key]) => key === name)?.[1] ?? '');
  const isLink = parameter('X-Amz-Signature') !== '';
  const authorization = request.headers.authorization ?? '';
  const [, credential = '', names = '', signature = ''] = isLink
    ? ['', parameter('X-Amz-Credential'), parameter('X-Amz-SignedHeaders'), parameter('X-Amz-Signature')]
    : (/^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(authorization) ?? []);
  const date = isLink ? parameter('X-Amz-Date') : String(request.headers['x-amz-date']);
  const [access, ...scope] = credential.split('/');
  if (access !== keys.access) return 'InvalidAccessKeyId';
  const expected = [date.slice(0, 8), keys.region, keys.service ?? 's3', 'aws4_request'];
  if (scope.join('/') !== expected.join('/')) return 'SignatureDoesNotMatch';
  const at = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (isLink ? now > at + Number(parameter('X-Amz-Expires')) * 1000 : Math.abs(now - at) > 15 * 60_000)
    return isLink ? 'AccessDenied' : 'RequestTimeTooSkewed';
  const hash = isLink ? 'UNSIGNED-PAYLOAD' : String(request.headers['x-amz-content-sha256']);
  if (!isLink && hash !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const signed = names.split(';');
  if (!signed.includes('host')) return 'SignatureDoesNotMatch';
  const unsigned = Object.keys(request.headers).filter((name) => name.startsWith('x-amz-') && !signed.includes(name));
  if (unsigned.length > 0) return `AccessDenied: ${unsigned.join()} is not signed`;
  const canonical = [
    request.method,
    path,
    pairs
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map((pair) => pair.join('='))
      .sort()
      .join('&'),
    ...signed.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    names,
    hash,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', date, expected.join('/'), sha256(canonical)].join('\n');
  const key = expected.reduce<Buffer | string>((over, part) => hmac(over, part), `AWS4${keys.secret}`);
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}
