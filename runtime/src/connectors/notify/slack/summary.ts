import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { Message } from '../message.ts';
import type { slackFields } from './message.ts';
import type { batchBlock } from './spec.ts';

type SlackMessage = Message<typeof slackFields>;

/** Bytes of a text that is made here; the provider takes 40,000 characters. */
const longestText = 38_000;
const cutLine = '\n…(truncated)';

/** The text that is sent for several messages. */
export type Summary = (messages: readonly SlackMessage[], channel: string | undefined) => string;

/** By the expression of the configuration, or the built-in text where there is no expression, and where it fails. */
export function summaryOf(
  { summary: source, window }: Pick<Values<typeof batchBlock>, 'summary' | 'window'>,
  { expression, log }: ConnectorServices,
): Summary {
  const evaluate = source && expression?.(source, 'batch.summary');
  if (evaluate === undefined) return builtInSummary;
  const lasting = windowText(window);
  return (messages, channel) => {
    try {
      const shown = messages.map((each) => ({
        text: each.text ?? '',
        channel: each.channel ?? '',
        username: each.username ?? '',
      }));
      const activation = { messages: shown, count: BigInt(shown.length), channel: channel ?? '', window: lasting };
      const text = evaluate(activation);
      if (typeof text === 'string' && text.trim() !== '') return text;
      log.warn('summary gives no text: the built-in one is sent', { gives: typeof text });
    } catch (error) {
      log.warn('summary failed: the built-in text is sent', { error: (error as Error).message });
    }
    return builtInSummary(messages);
  };
}

/** Lists the messages below their number. */
export function builtInSummary(messages: readonly SlackMessage[]): string {
  const lines = messages.flatMap(({ text = '' }) => {
    const line = text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
    return line === '' ? [] : [`• ${line}`];
  });
  const text = [`📨 *${messages.length} events:*`, ...lines].join('\n');
  const bytes = Buffer.from(text);
  if (bytes.length <= longestText) return text;
  // Half of a character is left out.
  const kept = bytes
    .subarray(0, longestText - Buffer.byteLength(cutLine))
    .toString()
    .replace(/\ufffd+$/, '');
  return kept + cutLine;
}

/** As durations are written: `3s`, `1m30s`, `500ms`. */
export function windowText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds}ms`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = (milliseconds % 60_000) / 1_000;
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}
