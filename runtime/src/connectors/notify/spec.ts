import { argument, block, duration, ofPlace, type TargetSpec, text } from '@svc/protocol/schema';
import { everyConnector } from '../core/spec.ts';
import { type MessageFields, spellingsOf, takesOthers } from './message.ts';

/** What every channel says. */
export const everyChannel = {
  timeout: duration('Longest time for one message, with a second try after the provider has asked for one.', {
    default: 30_000,
    min: 1,
    max: 3_600_000,
  }),
  ...everyConnector.attributes,
} as const;

/** An address of a provider, which is its own where the configuration does not write another one. */
export function providerAddress<const S extends string>(standard: S) {
  return text('Address of the provider.', { ...otherAddress, default: standard });
}

/** What an attribute with an address of a provider says. */
export const otherAddress = {
  aliases: ['endpoint'],
  pattern: {
    source: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
    says: 'must be an http:// or https:// address without credentials and query',
  },
} as const;

const to = argument('Addressee, where the message does not have one.', { reads: ofPlace });

/** What actions say of a message beside its payload. */
export const actionWords = {
  action: block({ doc: 'Words of actions that send messages.', attributes: { to } }),
} as const;

/** The same where messages are made of templates. */
export const templateWords = {
  action: block({
    doc: 'Words of actions that send letters.',
    attributes: { to, template: argument('Template, where the message does not name one.', { reads: ofPlace }) },
  }),
} as const;

/** How flows send over a channel with messages of these fields. */
export function sending(fields: MessageFields, checkCall?: TargetSpec['checkCall']): TargetSpec {
  const entries = Object.entries(fields);
  const synonyms = entries.flatMap(([name, { spellings = [] }]) => spellings.map((each) => [each, name] as const));
  const parameters = {
    // The message of a flow gives them as well, which is known when it comes.
    needs: [],
    takes: spellingsOf(fields),
    synonyms: Object.fromEntries(synonyms),
    docs: Object.fromEntries(entries.map(([name, { doc }]) => [name, doc])),
  };
  return {
    abilities: ['write', 'call'],
    offers: ['send'],
    // Whatever an operation is named, it sends.
    effect: () => 'writes',
    takesAnswers: true,
    needsOneOf: [],
    parameters: () => (takesOthers(fields) ? undefined : parameters),
    message: fields,
    checkCall,
  };
}
