import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Address } from '../../addresses.ts';
import { bodyOfJson } from '../../message.ts';
import { type Composed, type Letter, readableParts } from '../letter.ts';

/** Recipients of one request, and bytes of a letter with its attachments in base64 (the limits of the provider). */
const mostRecipients = 1_000;
const mostBytes = 32 * 1_048_576;

/** Where the API takes a letter, below its address. */
export const path = '/v3/mail/send';

/** The request of a letter to an API at this address. It needs no connection. Throws `value_refused` for one that is too large. */
export function compose(letter: Letter, apiUrl: string): Composed {
  const { to, cc, bcc } = letter;
  if (to.length + cc.length + bcc.length > mostRecipients)
    throw new Failure('value_refused', `the provider takes at most ${mostRecipients} recipients of one letter`);
  return {
    ...readableParts(letter),
    raw: Buffer.from(bodyOfJson(bodyOf(letter), mostBytes)),
    request: { method: 'POST', url: `${apiUrl.replace(/\/+$/, '')}${path}` },
  };
}

function bodyOf(letter: Letter) {
  const { from, replyTo, to, cc, bcc, subject, text, html, template, headers, attachments, tags } = letter;
  const content = [
    ...(text === undefined ? [] : [{ type: 'text/plain', value: text }]),
    ...(html === undefined ? [] : [{ type: 'text/html', value: html }]),
  ];
  const [replies, ...others] = replyTo;
  return given({
    personalizations: [
      given({
        to: to.map(addressee),
        cc: listed(cc.map(addressee)),
        bcc: listed(bcc.map(addressee)),
        subject: subject || undefined,
        dynamic_template_data: template?.data,
      }),
    ],
    from: addressee(from),
    ...(others.length === 0 ? { reply_to: replies && addressee(replies) } : { reply_to_list: replyTo.map(addressee) }),
    subject: subject || undefined,
    content: listed(content),
    template_id: template?.id,
    attachments: listed(
      attachments.map(({ filename, contentType, contentId, bytes }) =>
        given({
          content: bytes.toString('base64'),
          filename,
          type: contentType.replace(/;.*$/, ''),
          disposition: contentId === undefined ? 'attachment' : 'inline',
          content_id: contentId,
        }),
      ),
    ),
    headers: headers.length === 0 ? undefined : Object.fromEntries(headers),
    categories: listed(tags),
    tracking_settings: tracking(letter),
  });
}

function tracking({ trackOpens, trackClicks }: Letter) {
  if (trackOpens === undefined && trackClicks === undefined) return undefined;
  return given({
    open_tracking: trackOpens === undefined ? undefined : { enable: trackOpens },
    click_tracking: trackClicks === undefined ? undefined : { enable: trackClicks },
  });
}

function addressee({ email, name }: Address) {
  return name === undefined ? { email } : { email, name };
}

function listed<T>(all: readonly T[]): readonly T[] | undefined {
  return all.length === 0 ? undefined : all;
}

/** Without what is absent. */
function given(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
