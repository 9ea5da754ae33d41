import { type ChildProcess, fork } from 'node:child_process';
import { pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { fileAt } from '../../../runtime/src/connectors/database/sqlite/file.ts';
import { messageBudget } from '../../../runtime/src/platform/formats/budget.ts';
import { Assembly, type Piece } from '../../../runtime/src/platform/formats/pieces.ts';
import { folderWith } from '../../support/folder.ts';
import { textOf } from '../../support/pdf.ts';
import { program, runCommand } from '../../support/service.ts';
import { programs } from './built-parts.ts';

/** What a program of threads or processes does, by its name. A new one is asked for. */
const proofs: Readonly<Record<string, () => Promise<void>>> = {
  'decoding-worker': async () => {
    const bytes = new TextEncoder().encode('<said><text>hello</text></said>');
    const job = { format: 'xml', bytes, charset: undefined, budget: messageBudget };
    const assembly = new Assembly();
    assembly.add((await answerOf('decoding-worker', job)) as Piece);
    expect(assembly.value).toEqual({ text: 'hello' });
  },
  'hash-worker': async () => {
    const salt = new TextEncoder().encode('salt');
    const work = { kind: 'pbkdf2', digest: 'sha256', salt, rounds: 10, length: 32 };
    const hash = (await answerOf('hash-worker', {
      ...work,
      password: new TextEncoder().encode('secret'),
    })) as Uint8Array;
    expect(Buffer.from(hash)).toEqual(pbkdf2Sync('secret', 'salt', 10, 32, 'sha256'));
  },
  'pdf-worker': async () => {
    const page = { width: 595, height: 842, left: 50, top: 50, right: 50, font: 'Helvetica', mostPages: 2 };
    const job = { ...page, html: '<p>hello</p>', root: import.meta.dirname, template: 'text.html' };
    const { bytes, pages } = (await answerOf('pdf-worker', job)) as { bytes: Uint8Array; pages: number };
    expect([pages, Buffer.from(bytes).subarray(0, 5).toString()]).toEqual([1, '%PDF-']);
    if (process.env['TEST_PDFTOTEXT'] !== undefined) expect(textOf(bytes).trim()).toBe('hello');
  },
  'module-worker': async () => {
    const example = join(import.meta.dirname, '../../../examples/plugin');
    const { stdout } = await runCommand(['trace', 'list_places', '-c', example, '--format', 'json']);
    const places = [
      { name: 'Berlin', area: '10' },
      { name: 'Hamburg', area: '20' },
    ];
    expect(JSON.parse(stdout).outcome).toEqual({ kind: 'reply', value: { places } });
  },
  'sqlite-reader': async () => {
    const folder = folderWith();
    const path = join(folder, 'texts.db');
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE texts (text TEXT); INSERT INTO texts VALUES ('hello')");
    database.close();
    const reader = fork(fileOf('sqlite-reader'), [path, fileAt(path)?.identity ?? ''], { serialization: 'advanced' });
    try {
      reader.send({ text: 'SELECT text FROM texts', values: [], exact: false });
      expect(await messageOf(reader)).toEqual({ rows: [{ text: 'hello' }], last: true });
    } finally {
      reader.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    }
  },
};

test.each(programs)('%s of the built program does its work', async (name) => {
  expect(Object.keys(proofs)).toContain(name);
  await proofs[name]?.();
});

function fileOf(name: string): string {
  return join(program, '..', `${name}.js`);
}

/** What a thread answers to one message. */
async function answerOf(name: string, message: unknown): Promise<unknown> {
  const worker = new Worker(fileOf(name));
  try {
    worker.postMessage(message);
    const answer = await messageOf(worker);
    expect(answer).toHaveProperty('value');
    return (answer as { readonly value: unknown }).value;
  } finally {
    await worker.terminate();
  }
}

async function messageOf(sender: Worker | ChildProcess): Promise<unknown> {
  const [message] = await once(sender, 'message');
  return message;
}
