import type { Message, MessageFields } from '../message.ts';

/** The fields of every letter. */
export const letterFields = {
  to: {
    doc: 'Whom it goes to: addresses such as `Ana <ana@example.org>`, or maps `{email, name}`, one or a list of them.',
    kind: 'addresses',
    required: true,
    byTarget: true,
  },
  cc: { doc: 'Who gets a copy, as in `to`.', kind: 'addresses' },
  bcc: { doc: 'Who gets a copy that the others do not know of, as in `to`.', kind: 'addresses' },
  subject: { doc: 'What it is about.', kind: 'text' },
  textBody: { doc: 'Its text.', kind: 'text', spellings: ['text_body', 'text', 'body'] },
  htmlBody: { doc: 'Its text as HTML.', kind: 'text', spellings: ['html_body', 'html'] },
  from: { doc: 'Who it is from, instead of `from` of the connector.', kind: 'addresses' },
  from_name: { doc: 'Name of the sender, instead of that of the connector.', kind: 'text' },
  reply_to: { doc: 'Where answers go, as in `to`, instead of `reply_to` of the connector.', kind: 'addresses' },
  reply_to_name: { doc: 'Name of a single address in `reply_to`.', kind: 'text' },
  template: {
    doc: 'File of the template that becomes the HTML of this letter, in the folder of templates.',
    kind: 'text',
  },
  template_data: {
    doc: 'What a template prints; the message itself where it is absent.',
    kind: 'map',
    others: true,
  },
  attachments: {
    doc: 'Files of the letter, a list of: uploads and documents as they are; `{filename, content}` with text or base64; `{connector, path}` of a file. `content_type` and `filename` say what they are, `content_id` makes one a picture of the HTML.',
    kind: 'data',
  },
  headers: { doc: 'Further headers; those that others of these fields write are refused.', kind: 'map' },
} as const satisfies MessageFields;

/** What providers know besides. */
export const providerFields = {
  template_id: { doc: 'Template at the provider, which has the text of the letter.', kind: 'text' },
  tags: { doc: 'Words by which the provider counts letters.', kind: 'texts' },
} as const satisfies MessageFields;

/** What a provider observes of those who read. */
export const trackingFields = {
  track_opens: { doc: 'Whether the provider notices that it is opened.', kind: 'flag' },
  track_clicks: { doc: 'Whether the provider notices that links are followed.', kind: 'flag' },
} as const satisfies MessageFields;

/** What is read of a message, whichever of these fields its driver knows. */
export type LetterMessage = Message<typeof letterFields> &
  Partial<Message<typeof providerFields> & Message<typeof trackingFields>>;
