import { block, int, oneOf, text } from '@svc/protocol/schema';

/** The collection in which positions of change streams are kept. */
export const positionsCollection = '_svc_resume';

const name = '^(?!system\\.|_svc_)[^$\\0]+$';
const longestName = 200;

/** Why a text is not the name of a collection, or undefined. Pure. */
export function checkCollection(collection: string): string | undefined {
  if (collection.length > longestName) return `the name of a collection has at most ${longestName} characters`;
  return new RegExp(name).test(collection) && collection.trim() === collection
    ? undefined
    : `"${collection}" is not the name of a collection that may be used`;
}

/** `changes` of the connector. */
export const changesBlock = block({
  doc: 'How flows take the changes of collections. One process takes those of a collection at a time, under a lease in the collection `_svc_resume`, which also keeps how far each service has come: a change is settled after its flows, and one that was not comes again.',
  attributes: {
    workers: int(
      'Changes that are handled at the same time; those of one document are handled one after another, in their order, whatever fails.',
      {
        default: 1,
        min: 1,
        max: 1000,
        aliases: ['concurrency'],
      },
    ),
    window: int('Most changes that are held without being settled.', { default: 100, min: 10, max: 10_000 }),
    document: oneOf(
      '`lookup` reads the document as it is now with each update; `changed` leaves `document` absent there.',
      ['lookup', 'changed'],
      { default: 'lookup' },
    ),
    before: oneOf(
      'The document as it was before an update, a replacement or a delete, which the server keeps where the collection has `changeStreamPreAndPostImages`. `available` leaves it absent where the server does not have it; `required` takes no changes of a collection that keeps none.',
      ['none', 'available', 'required'],
      { default: 'none' },
    ),
    order: oneOf(
      'What keeps its order: `document`, the changes of one document, while others pass one that fails; `commit`, all changes of a collection, so that one that fails holds up those behind it.',
      ['document', 'commit'],
      { default: 'document' },
    ),
    max_retries: int('Tries after the first one before a change is given up; without it, it is never given up.', {
      min: 0,
      max: 1_000_000,
    }),
    dead_letters: text('Collection of the same database for changes that were given up.', {
      example: '"orders_failed"',
      pattern: { source: name, says: 'must be the name of a collection' },
    }),
  },
});
