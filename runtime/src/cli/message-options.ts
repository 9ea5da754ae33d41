import { resolve } from 'node:path';
import { LineIndex } from '@svc/protocol/text';
import { largestGiven, readRegularFile } from '../foundation/disk/regular-file.ts';
import { decodeUtf8 } from '../platform/formats/encoding.ts';
import type { TypedMessage } from '../tools/trace/message.ts';
import { type Invocation, type OptionSpec, UsageError } from './command.ts';

/** Options of commands that are given one message for one flow. */
export const messageOptions = {
  input: { kind: 'text', placeholder: 'JSON|@FILE', doc: 'The message, a JSON object. Default: {}.' },
  'input-file': { kind: 'text', placeholder: 'FILE', doc: 'A file that holds the message.' },
  params: { kind: 'list', placeholder: 'NAME=VALUE,…', doc: 'Texts that are laid over the message.' },
  auth: {
    kind: 'text',
    placeholder: 'JSON',
    doc: 'Who sends it: user_id, email, roles, claims. Default: an anonymous caller.',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** The message that a command was given. Throws UsageError for a file that cannot be read. */
export function messageOf({ options, workingDirectory }: Invocation): TypedMessage {
  const params = options['params'];
  const file = text(options['input-file']);
  const written = text(options['input']);
  if (file !== undefined && written !== undefined) throw new UsageError('give the input once: --input or --input-file');
  const named = file ?? (written?.startsWith('@') ? written.slice(1) : undefined);
  return {
    input: named === undefined ? written : readInput(resolve(workingDirectory, named)),
    params: (Array.isArray(params) ? (params as readonly string[]) : []).map(paramOf),
    auth: text(options['auth']),
  };
}

function readInput(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(path, largestGiven);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { text, unreadable } = decodeUtf8(bytes);
  if (unreadable === undefined) return text;
  const { line, column } = new LineIndex(text).position(unreadable.at);
  throw new UsageError(`${path}:${line}:${column}: ${unreadable.message}`);
}

function paramOf(written: string): readonly [string, string] {
  const at = written.indexOf('=');
  if (at < 1) throw new UsageError(`--params takes NAME=VALUE, not "${written}"`);
  return [written.slice(0, at), written.slice(at + 1)];
}

function text(option: unknown): string | undefined {
  return typeof option === 'string' ? option : undefined;
}
