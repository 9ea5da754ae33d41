import { Failure } from '../../../../foundation/errors/failure.ts';
import type { SessionPool } from '../../../../platform/net/session-pool.ts';
import { refusalOf, shown } from './failure.ts';
import type { SmtpSession } from './session.ts';

/** A message, and whom its server is asked to bring it to. */
export interface Envelope {
  readonly from: string;
  readonly recipients: readonly string[];
  readonly text: Buffer;
}

/** What became of a message for one of its recipients. */
export interface RecipientOutcome {
  readonly email: string;
  readonly success: boolean;
  /** What the server said of it. Absent where it took it. */
  readonly error?: string;
}

/** What became of a message, for its recipients in their order. */
export interface Delivered {
  /** What the server said last, such as the name in its queue. */
  readonly response: string;
  readonly recipients: readonly RecipientOutcome[];
}

/** A server takes no more recipients with one message, which says nothing of the recipient (RFC 5321, 4.5.3.1.10). */
const tooMany = /^452\b/;

/**
 * Sends a message. Recipients that a server does not take together get it in further ones. Resolves where it was taken for
 * a recipient, and says for whom it was not; rejects with the Failure of the first try where it was taken for no recipient.
 */
export async function deliver(
  { from, recipients, text }: Envelope,
  pool: SessionPool<SmtpSession>,
  signal: AbortSignal,
  secrets: readonly string[],
): Promise<Delivered> {
  const refused = new Map<string, string>();
  let response = '';
  let left = recipients;
  let most = recipients.length;
  while (left.length > 0) {
    const asked = left.slice(0, most);
    const others = left.slice(most);
    try {
      const sent = await sendOver(pool, signal, (session) =>
        session.send({ from, to: [...asked], size: text.length }, text),
      );
      response = shown(sent.response, secrets);
      const errors = new Map((sent.rejectedErrors ?? []).map((error) => [String(error.recipient), error]));
      const again = sent.rejected.filter((email) => tooMany.test(errors.get(email)?.response ?? ''));
      for (const email of sent.rejected) refused.set(email, refusalOf(errors.get(email), secrets));
      for (const email of again) refused.delete(email);
      if (again.length > 0) most = sent.accepted.length;
      left = [...again, ...others];
    } catch (error) {
      if (response === '') throw error;
      // Some have it already: the whole must not be sent again.
      for (const email of left) refused.set(email, (error as Failure).message);
      left = [];
    }
  }
  return {
    response,
    recipients: recipients.map((email) => {
      const error = refused.get(email);
      return error === undefined ? { email, success: true } : { email, success: false, error };
    }),
  };
}

/** What was begun when the signal fires may have been taken, which the session knows: its failure is the one that counts. */
async function sendOver<T>(
  pool: SessionPool<SmtpSession>,
  signal: AbortSignal,
  send: (session: SmtpSession) => Promise<T>,
): Promise<T> {
  const { session, giveBack } = await pool.take(signal);
  try {
    return await send(session);
  } finally {
    giveBack();
  }
}

/** Does the work under a signal that fires with a Failure, after so many milliseconds or when the caller gives up. */
export async function within<T>(
  timeout: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const late = new Failure('connector_timeout', `the letter was not sent within ${Math.round(timeout) / 1000} s`);
  const cancel = () => end.abort(new Failure('cancelled', 'the call was cancelled'));
  const timer = setTimeout(() => end.abort(late), timeout);
  caller?.addEventListener('abort', cancel, { once: true });
  if (caller?.aborted) cancel();
  try {
    return await work(end.signal);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', cancel);
  }
}
