import { randomUUID } from 'node:crypto';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Clock } from '../../../../foundation/observe/clock.ts';
import type { Address } from '../../addresses.ts';
import { type Composed, type Letter, readableParts } from '../letter.ts';

/** Who signs letters, with the key itself. */
export interface LetterSigner {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly privateKey: string;
}

/** What a letter is composed with besides itself. */
export interface Composing {
  readonly clock: Pick<Clock, 'now'>;
  readonly signer?: LetterSigner | undefined;
}

/** The text of a message, and the identifier in it. */
export interface ComposedMessage extends Composed {
  /** With its angle brackets. */
  readonly messageId: string;
}

/** Loads what composes and signs. */
export async function loadComposer(): Promise<void> {
  await Promise.all([import('nodemailer/lib/mail-composer'), import('nodemailer/lib/dkim')]);
}

/** The text of a letter as a server gets it (RFC 5322), signed where there is a signer. It needs no connection. */
export async function compose(letter: Letter, { clock, signer }: Composing): Promise<ComposedMessage> {
  const { default: Composer } = await import('nodemailer/lib/mail-composer');
  const { from, replyTo, to, cc, subject, text, html, headers, attachments } = letter;
  const messageId = `<${randomUUID()}@${from.email.slice(from.email.lastIndexOf('@') + 1)}>`;
  const composer = new Composer({
    from: shownBy(from),
    to: to.map(shownBy),
    cc: cc.map(shownBy),
    replyTo: replyTo.map(shownBy),
    subject,
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    headers: headers.map(([key, value]) => ({ key, value })),
    attachments: attachments.map(({ filename, contentType, contentId, bytes }) => ({
      filename,
      contentType,
      content: bytes,
      ...(contentId !== undefined && { cid: contentId, contentDisposition: 'inline' }),
    })),
    messageId,
    date: new Date(clock.now()),
    disableUrlAccess: true,
    disableFileAccess: true,
  });
  const built = await composer.compile().build();
  return {
    ...readableParts(letter),
    raw: signer === undefined ? built : await signed(built, signer),
    messageId,
  };
}

function shownBy({ email, name = '' }: Address) {
  return { address: email, name };
}

async function signed(message: Buffer, { domain, selector, privateKey }: LetterSigner): Promise<Buffer> {
  const { default: Dkim } = await import('nodemailer/lib/dkim');
  const stream = new Dkim({ domainName: domain, keySelector: selector, privateKey }).sign(message);
  const pieces: Buffer[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  // The library leaves a message as it is where it cannot sign it.
  if (!whole.subarray(0, 15).toString('latin1').toLowerCase().startsWith('dkim-signature:'))
    throw new Failure('connector_failed', 'the letter could not be signed (dkim)', { retriable: false });
  return whole;
}
