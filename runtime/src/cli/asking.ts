import { createInterface } from 'node:readline';
import type { Invocation } from './command.ts';

/** Longest text that is read from standard input. */
const most = 64 * 1_024;

/**
 * Whether a person confirms what cannot be undone: `--yes`, or `y` typed as the answer. Without anyone to ask it is not
 * confirmed.
 */
export async function isConfirmed(question: string, { options, streams }: Invocation): Promise<boolean> {
  if (options['yes'] === true) return true;
  if (streams.input === undefined) return false;
  streams.error.write(`${question} [y/N] `);
  const lines = createInterface({ input: streams.input });
  try {
    for await (const line of lines) return /^y(?:es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}

/** Everything of standard input without the line end after it; undefined when nothing comes or it is too long. */
export async function typedText({ streams }: Invocation): Promise<string | undefined> {
  let text = '';
  for await (const piece of streams.input ?? []) {
    text += String(piece);
    if (text.length > most) return undefined;
  }
  const line = text.replace(/\r?\n$/, '');
  return line === '' ? undefined : line;
}
