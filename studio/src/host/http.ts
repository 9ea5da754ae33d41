import type { HttpAnswer, ServiceParams } from '../shared/services.ts';
import { textOf } from './files/texts.ts';
import type { HostServices } from './host.ts';

const largestBody = 5 * 1024 * 1024;
const mostUnderWay = 32;
const standardTime = 60_000;
const longestTime = 60 * 60_000;

/** Sends single requests for the window, which may call no other machine itself. Redirects are shown, not followed. */
export class HttpSender {
  readonly services: Pick<HostServices, 'http.send' | 'http.cancel'> = {
    'http.send': (request) => this.#send(request),
    'http.cancel': async ({ id }) => {
      this.#underWay.get(id)?.abort(new Error('the request was cancelled'));
      return {};
    },
  };
  readonly #underWay = new Map<string, AbortController>();

  cancelAll(): void {
    for (const controller of this.#underWay.values()) controller.abort(new Error('the request was cancelled'));
  }

  async #send(request: ServiceParams<'http.send'>): Promise<HttpAnswer> {
    const { id, timeoutMs = standardTime } = request;
    if (this.#underWay.has(id)) throw new Error(`a request "${id}" is under way`);
    if (this.#underWay.size >= mostUnderWay) throw new Error(`${mostUnderWay} requests are under way already`);
    if (timeoutMs < 1 || timeoutMs > longestTime) throw new Error('timeoutMs is a number from 1 to 3600000');
    const controller = new AbortController();
    this.#underWay.set(id, controller);
    const timer = setTimeout(() => controller.abort(new Error(`no answer came within ${timeoutMs} ms`)), timeoutMs);
    try {
      return await exchange(request, controller.signal);
    } catch (error) {
      throw new Error(reasonOf(error, controller.signal));
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(id);
    }
  }
}

async function exchange(
  { method, url, headers, body }: ServiceParams<'http.send'>,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const address = webAddress(url);
  if (!/^[!#$%&'*+.^_`|~\w-]{1,40}$/.test(method)) throw new Error(`"${method}" is not a method of HTTP`);
  const began = performance.now();
  const answer = await fetch(address, {
    method: method.toUpperCase(),
    headers: { 'user-agent': 'svc-studio', ...headers },
    redirect: 'manual',
    signal,
    ...(body === undefined || body === '' ? {} : { body }),
  });
  const { bytes, truncated } = await readBody(answer);
  const text = textOf(truncated ? withoutBrokenEnd(bytes) : bytes);
  return {
    status: answer.status,
    statusText: answer.statusText,
    headers: headersOf(answer.headers),
    body: text ?? bytes.toString('base64'),
    encoding: text === undefined ? 'base64' : 'text',
    truncated,
    durationMs: Math.round((performance.now() - began) * 10) / 10,
  };
}

function webAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined) throw new Error(`"${url}" is not an address`);
  if (address.protocol !== 'http:' && address.protocol !== 'https:')
    throw new Error(`requests go to http or https, not to ${address.protocol}`);
  return address;
}

async function readBody({ body }: Response): Promise<{ bytes: Buffer; truncated: boolean }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    const left = largestBody - size;
    pieces.push(piece.subarray(0, left));
    size += piece.length;
    // Leaving the loop ends the connection.
    if (size > largestBody) break;
  }
  return { bytes: Buffer.concat(pieces), truncated: size > largestBody };
}

/** A character of several bytes that the cut went through is left out. */
function withoutBrokenEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end--;
  return end > 0 && (bytes[end - 1] as number) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}

/** Cookies are written one a line, since a comma may be part of one. */
function headersOf(headers: Headers): Record<string, string> {
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(headers), ...(cookies.length === 0 ? {} : { 'set-cookie': cookies.join('\n') }) };
}

/** What fetch calls "fetch failed" has its reason inside. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  const cause: unknown = signal.aborted ? signal.reason : error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof AggregateError && cause.errors.length > 0)
    return cause.errors.map((each: unknown) => (each instanceof Error ? each.message : String(each))).join('; ');
  return cause.message;
}
