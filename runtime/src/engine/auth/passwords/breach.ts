import { createHash } from 'node:crypto';
import type { Log } from '../../../foundation/observe/log.ts';
import { fetchDocument } from '../../../platform/net/document.ts';
import type { BreachCheck } from '../protection/contract.ts';

/** The public list. */
const publicList = 'https://api.pwnedpasswords.com/range/';
const timeout = 2_000;
const prefixLength = 5;
const line = /^([0-9A-F]{35}):(\d{1,15})$/i;

/**
 * Looks passwords up in a list of digests by their first five characters: the list learns these alone, and the comparison
 * is made here. A list that cannot be read lets every password pass, which is logged.
 */
export class BreachList implements BreachCheck {
  readonly #url: string;
  readonly #log: Log;

  /** `url` is what the five characters are appended to; undefined: the public list. */
  constructor(url: string | undefined, log: Log) {
    this.#url = url ?? publicList;
    this.#log = log;
  }

  /** How often the password is in the list; 0 where the list cannot be read. Rejects only when `signal` fires. */
  async count(password: string, signal?: AbortSignal): Promise<number> {
    const digest = createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase();
    try {
      const entries = await this.#entries(digest.slice(0, prefixLength), signal);
      // Entries that are padding have a count of 0.
      return entries.get(digest.slice(prefixLength)) ?? 0;
    } catch (error) {
      signal?.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      this.#log.warn('the list of breached passwords cannot be read: a password is accepted without it', {
        error: why,
      });
      return 0;
    }
  }

  async #entries(prefix: string, signal: AbortSignal | undefined): Promise<ReadonlyMap<string, number>> {
    const headers = ['add-padding', 'true', 'accept-encoding', 'gzip', 'user-agent', 'svc'];
    const { status, body } = await fetchDocument(addressOf(this.#url, prefix), { headers, deadline: timeout, signal });
    if (status !== 200) throw new Error(`the list answered HTTP ${status}`);
    const lines = body
      .toString('latin1')
      .split(/\r?\n/)
      .filter((text) => text !== '');
    const entries = new Map<string, number>();
    for (const text of lines) {
      const [, suffix, count] = line.exec(text) ?? [];
      if (suffix === undefined) throw new Error('the list answered something else than digests');
      entries.set(suffix.toUpperCase(), Number(count));
    }
    return entries;
  }
}

function addressOf(url: string, prefix: string): string {
  return url + (/[/=]$/.test(url) ? '' : '/') + prefix;
}
