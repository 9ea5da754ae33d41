import { block, duration, flag, int, text } from '@svc/protocol/schema';
import { incomingFormat } from '../../../platform/formats/format-spec.ts';
import { standardRetryHeader } from './dead-letters.ts';

/** `prefetch` of what takes messages from a broker. */
export const prefetch = (standard: number, doc: string) => int(doc, { default: standard, min: 1, max: 65_535 });

/** `workers` of what takes messages. */
export const workers = (standard: number) =>
  int('Messages that are handled at the same time; with 1 they are handled in order.', {
    default: standard,
    min: 1,
    max: 1000,
    aliases: ['concurrency'],
  });

/** What every `consumer` block says, whatever its broker; `kind` names a source for people: `queue`. */
export const consumerAttributes = (kind: string) => ({
  prefetch: prefetch(10, `Most messages that this service holds of each ${kind} without having settled them.`),
  workers: workers(1),
  create_if_missing: flag(`Declares a durable ${kind} where it does not exist.`, { default: false }),
  retry_count: int('Short for a `dlq` block with this many `max_retries`.', { min: 0, max: 1_000_000 }),
});

/** `retry_count` and `dlq` say the same. */
export const consumerRules = [{ rule: 'atMostOneOf', names: ['retry_count', 'dlq'] }] as const;

/** What every `dlq` block says; `deadLettersOf` reads it. */
export const deadLetterAttributes = {
  enabled: flag('Whether this block has an effect.', { default: true }),
  max_retries: int('Tries after the first one.', { default: 3, min: 0, max: 1_000_000 }),
  retry_delay: duration(
    'How long a failed message waits at the broker before each further try; when absent it pauses from 1 to 30 seconds in this service.',
    { min: 1 },
  ),
  retry_header: text('Header that counts the tries.', { default: standardRetryHeader }),
  external: flag('Dead letters are arranged at the broker: nothing is declared, and nothing is warned of.', {
    default: false,
  }),
};

/** What flows say in `from` of the messages of a broker. */
export const messageWords = block({
  doc: 'What a flow says of its messages.',
  attributes: {
    format: incomingFormat('Codec of bodies; when absent they are decoded as JSON where they are that.'),
  },
});
