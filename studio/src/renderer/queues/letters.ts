import type { KeptMessage } from '../../shared/services.ts';

/** Why a message was given up, as its headers say it. */
export function causeOf({ headers }: KeptMessage): string {
  const cause = headers['x-last-error'];
  return typeof cause === 'string' && cause !== '' ? cause : 'not said';
}

/** What a message holds, as a tree shows it. */
export function contentOf({ key, headers, body, text, base64 }: KeptMessage): Readonly<Record<string, unknown>> {
  const content = text !== undefined ? { text } : base64 !== undefined ? { base64 } : { body };
  return { ...content, headers, ...(key !== '' && { key }) };
}

/** The content of a message as text that can be edited; undefined for bytes that are not text. */
export function editableText({ body, written, text, base64 }: KeptMessage): string | undefined {
  if (base64 !== undefined) return undefined;
  return text ?? written ?? JSON.stringify(body, undefined, 2);
}

/** Why an edited text is not what the message was: JSON; undefined where it may be sent. */
export function editProblem({ body }: KeptMessage, text: string): string | undefined {
  const read = body === undefined ? undefined : parsed(text);
  return typeof read === 'string' ? read : undefined;
}

/** Why a text cannot be published, which takes one JSON object; undefined where it can. */
export function publishProblem(text: string): string | undefined {
  const read = parsed(text);
  if (typeof read === 'string') return read;
  const isObject = typeof read?.value === 'object' && read.value !== null && !Array.isArray(read.value);
  return isObject ? undefined : 'A message is one JSON object';
}

function parsed(text: string): { readonly value: unknown } | string {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** One thing that happened to a message before it was given up, or since. */
export interface Happening {
  readonly title: string;
  readonly detail: string;
}

/** Headers that count tries, whatever a broker calls them; those of other names are among the headers. */
const tries = 'x-retry-count';
const replays = 'x-replay-count';

/** What became of a message, as far as its headers say it: tries, replays, and the queues that gave it up. */
export function historyOf({ headers }: KeptMessage): readonly Happening[] {
  const happened: Happening[] = [];
  const count = (name: string) => Number(headers[name] ?? 0) || 0;
  if (count(tries) > 0) happened.push({ title: 'Failed tries', detail: String(count(tries)) });
  if (count(replays) > 0) happened.push({ title: 'Sent back', detail: times(count(replays)) });
  const deaths = headers['x-death'];
  // The broker has the latest first.
  for (const death of (Array.isArray(deaths) ? [...deaths] : []).reverse()) happened.push(deathOf(death));
  const place = ['x-svc-stream', 'x-svc-sequence'].map((name) => headers[name]);
  if (place.every((each) => each !== undefined))
    happened.push({ title: 'Was in', detail: place.map(String).join(' ') });
  return happened;
}

function deathOf(death: unknown): Happening {
  const { queue, reason, count, time } = (death ?? {}) as Readonly<Record<string, unknown>>;
  const why = { rejected: 'Rejected', expired: 'Expired', maxlen: 'Pushed out', delivery_limit: 'Tried too often' };
  const title = why[String(reason) as keyof typeof why] ?? String(reason ?? 'Given up');
  const seconds = typeof time === 'number' ? time : undefined;
  const since = seconds === undefined ? '' : `, first ${new Date(seconds * 1000).toISOString()}`;
  return { title, detail: `in ${String(queue)}, ${times(Number(count) || 1)}${since}` };
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
