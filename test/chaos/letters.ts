import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queuePlace } from '../scenarios/queue-command/places.ts';
import { runCommand } from '../support/service.ts';

export interface LettersOptions {
  readonly letters: number;
  /** Letters that one call sends back. */
  readonly each: number;
  /** Receives what happens. */
  readonly tell?: (line: string) => void;
}

export interface LettersReport {
  /** What each call has written last, with its status and what it wrote of errors. */
  readonly calls: readonly (readonly [code: number | null, stderr: string, last: string | undefined])[];
  /** Letters that are left after each call. */
  readonly left: readonly (number | undefined)[];
}

/** Sends dead letters of 1 KB back to their queue in RabbitMQ, many in one call, in a heap of 64 MB. */
export async function runLetters({ letters, each, tell = () => undefined }: LettersOptions): Promise<LettersReport> {
  const place = await queuePlace();
  const directory = mkdtempSync(join(tmpdir(), 'svc-letters-'));
  cpSync(join(import.meta.dirname, 'letters'), directory, { recursive: true });
  writeFileSync(join(directory, 'orders.hcl'), place.connector);
  const queue = (args: readonly string[], env = {}) => runCommand([...args, '-c', directory], env);
  try {
    await queue(['check', '--create-queues']);
    await place.bury(Array.from({ length: letters }, (_, n) => JSON.stringify({ n, filling: 'x'.repeat(1_000) })));
    // As messages of a program all of them have several times the bytes that they are.
    const small = { NODE_OPTIONS: '--max-old-space-size=64' };
    const calls: LettersReport['calls'][number][] = [];
    const left: (number | undefined)[] = [];
    for (let sent = 0; sent < letters; sent += each) {
      const began = performance.now();
      const args = ['queue', 'replay', 'orders', '--yes', '--limit', String(each)];
      const { code, stdout, stderr } = await queue(args, small);
      calls.push([code, stderr, stdout.split('\n').at(-2)]);
      left.push(await deadIn((await queue(['queue', 'list', '--format', 'json'])).stdout));
      tell(`${each} letters in ${Math.round(performance.now() - began)} ms`);
    }
    return { calls, left };
  } finally {
    rmSync(directory, { recursive: true });
    await place.close();
  }
}

function deadIn(figures: string): number | undefined {
  const found = /"side": "dead",\s+"ready": (\d+)\b/.exec(figures)?.[1];
  return found === undefined ? undefined : Number(found);
}
