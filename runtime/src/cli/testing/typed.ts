import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { main } from '../main.ts';

/** The result of a command. */
export interface Typed {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

/** Runs the words of a command line in a directory; `input` is what a person types while it runs. */
export async function typed(
  words: readonly string[],
  workingDirectory = '/',
  environment: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Typed> {
  let out = '';
  let error = '';
  const status = await main(
    words,
    {
      out: { write: (text) => void (out += text), colour: false, width: 80 },
      error: { write: (text) => void (error += text), colour: false, width: 80 },
      input: Readable.from(input === '' ? [] : [input]),
    },
    { environment, workingDirectory },
  );
  return { status, out, error };
}

/** Gives a fresh directory that holds `files` to `use`, and removes it afterwards. */
export async function inDirectory<T>(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
