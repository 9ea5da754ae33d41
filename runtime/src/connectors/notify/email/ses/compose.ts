import { Failure } from '../../../../foundation/errors/failure.ts';
import { encodeJson } from '../../../../platform/formats/json.ts';
import { headerOf } from '../../addresses.ts';
import { bodyOfJson } from '../../message.ts';
import { type Composed, type Letter, readableParts } from '../letter.ts';

/** Recipients of one letter, and bytes of one with its attachments in base64 (the limits of the provider). */
const mostRecipients = 50;
const mostBytes = 41_943_040;

/** Where the API takes a letter, below its address. */
export const path = '/v2/email/outbound-emails';

/** What a connector says of its letters. */
export interface SesSettings {
  readonly address: URL;
  readonly configurationSet: string | undefined;
}

/** The request of a letter. It needs no connection. Throws `value_refused` for one that is too large. */
export function compose(letter: Letter, { address, configurationSet }: SesSettings): Composed {
  const { to, cc, bcc } = letter;
  if (to.length + cc.length + bcc.length > mostRecipients)
    throw new Failure('value_refused', `the provider takes at most ${mostRecipients} recipients of one letter`);
  return {
    ...readableParts(letter),
    raw: Buffer.from(bodyOfJson(bodyOf(letter, configurationSet), mostBytes)),
    request: { method: 'POST', url: `${address.href.replace(/\/+$/, '')}${path}` },
  };
}

function bodyOf(letter: Letter, configurationSet: string | undefined) {
  const { from, replyTo, to, cc, bcc, tags } = letter;
  return given({
    FromEmailAddress: headerOf(from),
    Destination: given({
      ToAddresses: to.map(headerOf),
      CcAddresses: listed(cc.map(headerOf)),
      BccAddresses: listed(bcc.map(headerOf)),
    }),
    ReplyToAddresses: listed(replyTo.map(headerOf)),
    Content: contentOf(letter),
    ConfigurationSetName: configurationSet || undefined,
    // Two of one name are refused.
    EmailTags: listed(tags.map((Value, at) => ({ Name: at === 0 ? 'tag' : `tag_${at + 1}`, Value }))),
  });
}

function contentOf({ subject, text, html, template, headers, attachments }: Letter) {
  const further = {
    Headers: listed(headers.map(([Name, Value]) => ({ Name, Value }))),
    Attachments: listed(
      attachments.map(({ filename, contentType, contentId, bytes }) =>
        given({
          FileName: filename,
          ContentType: contentType,
          ContentDisposition: contentId === undefined ? 'ATTACHMENT' : 'INLINE',
          ContentId: contentId,
          ContentTransferEncoding: 'BASE64',
          RawContent: bytes.toString('base64'),
        }),
      ),
    ),
  };
  if (template !== undefined)
    return { Template: given({ TemplateName: template.id, TemplateData: encodeJson(template.data), ...further }) };
  const part = (Data: string | undefined) => (Data === undefined ? undefined : { Data, Charset: 'UTF-8' });
  return {
    Simple: given({ Subject: part(subject), Body: given({ Text: part(text), Html: part(html) }), ...further }),
  };
}

function listed<T>(all: readonly T[]): readonly T[] | undefined {
  return all.length === 0 ? undefined : all;
}

/** Without what is absent. */
function given(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
