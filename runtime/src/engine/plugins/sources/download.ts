import { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { HttpClient } from '../../../platform/net/request.ts';
import { shownSource } from '../declared/source.ts';
import { bounds } from '../install/digest.ts';
import { PluginProblem } from '../install/problem.ts';

/** Milliseconds for all of an answer. */
const downloadTime = 120_000;

/** Answers that lead somewhere else, at most so many. */
const mostRedirects = 5;

/** What bounds a download. */
export interface DownloadLimits {
  /** Milliseconds. */
  readonly time: number;
  readonly bytes: number;
}

const standard: DownloadLimits = { time: downloadTime, bytes: bounds.bytes };

/**
 * The bytes of an address, fetched by HTTPS, or by HTTP from this machine. Redirects are followed, none of them to a place
 * without encryption. Throws PluginProblem when it does not answer in time with all of it, or sends too much.
 */
export async function download(
  address: string,
  signal: AbortSignal,
  { time, bytes }: DownloadLimits = standard,
): Promise<Buffer> {
  const client = new HttpClient({ maxResponse: bytes });
  const end = systemClock.elapsed() + time;
  try {
    let url: URL = new URL(address);
    for (let hop = 0; hop <= mostRedirects; hop++) {
      const { status, headers, body } = await client.send({
        method: 'GET',
        origin: url.origin,
        path: url.pathname + url.search,
        headers: ['accept', '*/*', 'user-agent', 'svc'],
        deadline: Math.max(end - systemClock.elapsed(), 1),
        redirects: false,
        encoded: true,
        signal,
      });
      if (status === 200) return body;
      const { location } = headers;
      if (![301, 302, 303, 307, 308].includes(status) || typeof location !== 'string')
        throw new PluginProblem(`${shownSource(address)} answers with the status ${status}.`);
      const next = URL.parse(location, url.href);
      if (next === null || (next.protocol !== 'https:' && !isSamePlace(next, url)))
        throw new PluginProblem(`${shownSource(address)} redirects to a place without encryption.`);
      url = next;
    }
    throw new PluginProblem(`${shownSource(address)} redirects more than ${mostRedirects} times.`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new PluginProblem(`${shownSource(address)} cannot be fetched: ${error.message}.`, { cause: error });
  } finally {
    await client.close(AbortSignal.abort());
  }
}

function isSamePlace(next: URL, { origin, protocol }: URL): boolean {
  return protocol === 'http:' && next.origin === origin;
}
