import { block, list, reference, size, text, type Values } from '@svc/protocol/schema';
import { everyChannel } from '../spec.ts';

/** An address as headers of mail have it. */
const address = {
  pattern: {
    source: '^(?:[^\\r\\n<>@]{0,320}<[^\\s<>@]{1,64}@[^\\s<>@]{1,253}>|[^\\s<>@]{1,64}@[^\\s<>@]{1,253})$',
    says: 'must be one address of mail, such as Shop <shop@example.org>',
  },
} as const;

/** What every connector of mail says, however it sends. */
export const letterAttributes = {
  from: text('Who letters are from that say nothing else: `shop@example.org`, or `Shop <shop@example.org>`.', {
    ...address,
    example: '"Shop <shop@example.org>"',
  }),
  from_name: text('Name of the sender, instead of one in `from`.', {
    pattern: { source: '^[^\\r\\n\\0]{0,320}$', says: 'must be one line' },
  }),
  reply_to: text('Where answers go, when a letter says nothing else.', address),
  template: text(
    'The HTML file that becomes the HTML of letters without their own; relative to the configuration. A letter may name another template in its folder, or in `templates` where this is absent.',
    { example: '"./templates/order.html"' },
  ),
  attachments_from: list(
    'Connectors of files that letters may take attachments from, by name and path. A letter reaches no other files.',
    reference('A connector of files.', 'connector'),
    { default: [], example: '[connector.invoices]' },
  ),
  max_attachments: size('Largest size of all attachments of one letter.', {
    default: 26_214_400,
    min: 1024,
    max: 104_857_600,
  }),
  ...everyChannel,
} as const;

const common = block({ doc: 'What every connector of mail says.', attributes: letterAttributes });

export type LetterConfig = Values<typeof common>;
