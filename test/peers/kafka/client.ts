import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { KafkaMessage } from './relay.ts';

/** A program of another language that writes and reads messages, with the arguments that begin its call. */
export interface KafkaClient {
  readonly program: string;
  readonly args: readonly string[];
}

/** Milliseconds in which a client ends. */
const timeout = 60_000;

/** Runs a client to its end; resolves with the messages that it printed. */
export async function runClient(
  { program, args }: KafkaClient,
  words: readonly string[],
  messages: readonly KafkaMessage[] = [],
): Promise<KafkaMessage[]> {
  const child = spawn(program, [...args, ...words], { timeout, killSignal: 'SIGKILL' });
  child.stdin.on('error', () => undefined);
  child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [output, complaints, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0)
    throw new Error(`${words[0]} ended with ${code}: ${complaints.trim().split('\n').slice(-3).join(' ')}`);
  return messagesIn(output);
}

/** A client that is a member of a group until it is asked to leave. */
export interface Member {
  readonly taken: readonly KafkaMessage[];
  leave(): Promise<void>;
}

export function startMember({ program, args }: KafkaClient, words: readonly string[]): Member {
  const child = spawn(program, [...args, ...words], { stdio: ['pipe', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (piece) => {
    output += piece;
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    get taken() {
      return messagesIn(output.slice(0, output.lastIndexOf('\n') + 1));
    },
    async leave() {
      child.stdin.write('\n');
      const late = setTimeout(() => child.kill('SIGKILL'), timeout);
      await ended;
      clearTimeout(late);
    },
  };
}

const messagesIn = (output: string): KafkaMessage[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as KafkaMessage);
