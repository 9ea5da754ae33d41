import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { textOf } from '../../../../../test/support/pdf.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { described, type PdfBed } from '../testing/bed.ts';
import { chromiumBed, expectNothingLeft, foldersOfBrowsers, isRoot } from './testing/bed.ts';

const never = new AbortController().signal;

let bed: PdfBed;
beforeEach(() => {
  bed = chromiumBed({ 'template.html': '<p>{{.a}}</p>' });
});
afterEach(() => bed.close());

const failureOf = (promise: unknown) =>
  Promise.resolve(promise).then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as Failure,
  );

/** A program in the place of the browser: a script of the shell. */
function program(script: string): string {
  bed.write('browser', `#!/bin/sh\n${script}\n`);
  chmodSync(join(bed.folder, 'browser'), 0o755);
  return './browser';
}

async function open(written: Readonly<Record<string, unknown>> = {}) {
  const connector = bed.connector(written);
  await connector.open(never);
  return { connector, execute: connector.target.prepare(described) };
}

describe('a browser that prints', () => {
  test('A-04: is ended with everything that it started when it takes too long', async () => {
    const { code } = await failureOf(bed.document({}, { timeout: 30 }));
    expect(code).toBe('connector_timeout');
    await expectNothingLeft();
  });

  test('A-04: is ended with its message, and the next document is printed', async () => {
    const { execute } = await open({ max_processes: 1 });
    const stop = new AbortController();
    const outcome = failureOf(execute({ payload: { a: 'first' }, signal: stop.signal }));
    await until(() => foldersOfBrowsers().some((name) => existsSync(join(tmpdir(), name, 'profile'))));
    stop.abort();
    expect((await outcome).code).toBe('cancelled');
    const { rows } = await execute({ payload: { a: 'second' } });
    expect(textOf(Buffer.from(rows?.[0]?.['_binary'] as string, 'base64')).trim()).toBe('second');
    await expectNothingLeft();
  });

  test('A-04: is ended with its connector, and a failure that may be tried again', async () => {
    const { connector, execute } = await open();
    const outcome = failureOf(execute({ payload: { a: 'first' } }));
    await until(() => foldersOfBrowsers().some((name) => existsSync(join(tmpdir(), name, 'profile'))));
    await connector.close(AbortSignal.abort());
    const { code, retriable } = await outcome;
    expect([code, retriable]).toEqual(['connector_refused', true]);
    expect(foldersOfBrowsers()).toEqual([]);
    await expectNothingLeft();
  });

  test('a close waits for it', async () => {
    const { connector, execute } = await open();
    const document = execute({ payload: { a: 'first' } });
    await connector.close();
    expect((await document).rows?.[0]).toMatchObject({ _content_type: 'application/pdf' });
    expect(foldersOfBrowsers()).toEqual([]);
  });

  test('S-51: ends with a service that is killed; what it leaves is removed at the next start', async () => {
    const source = (path: string) => JSON.stringify(join(import.meta.dirname, path));
    bed.write(
      'service.mjs',
      `import { print } from ${source('browser.ts')};
       const page = { html: '<p>a</p>', root: process.cwd(), template: 'template.html' };
       const settings = { executable: process.argv[2], env: { PATH: process.env.PATH }, sandbox: false };
       await (await print(page, settings, new AbortController().signal)).answer;`,
    );
    const silent = join(bed.folder, program('exec sleep 1000'));
    const child = spawn(process.execPath, ['service.mjs', silent], { cwd: bed.folder, stdio: 'inherit' });
    const left = () => readdirSync(tmpdir()).filter((name) => name.includes(`-${child.pid}-`));
    await until(() => left().length === 1 && readdirSync(join(tmpdir(), left()[0] as string)));
    await open();
    expect(left().length).toBe(1);
    child.kill('SIGKILL');
    await until(() => child.signalCode !== null);
    expect(left().length).toBe(1);
    await open();
    expect(left()).toEqual([]);
  });

  test('folders of other services stay, and those of other containers for a day', async () => {
    const folders = [
      ['svc-browser-1-1-abcdef', 0],
      ['svc-browser-1-1-old', 25],
      [`svc-browser-x-${process.pid}-new`, 0],
      ['svc-browser-other', 100],
    ] as const;
    onTestFinished(() => {
      for (const [name] of folders) rmSync(join(tmpdir(), name), { recursive: true, force: true });
    });
    for (const [name, hours] of folders) {
      const path = join(tmpdir(), name);
      mkdirSync(path, { recursive: true });
      const then = new Date(Date.now() - hours * 3_600_000);
      utimesSync(path, then, then);
    }
    await open();
    expect(folders.map(([name]) => existsSync(join(tmpdir(), name)))).toEqual([true, false, true, true]);
  });
});

describe('a program in the place of the browser', () => {
  test('is reported at start when it is not there, or would run without its sandbox', async () => {
    const opened = (written: Readonly<Record<string, unknown>>) => failureOf(bed.connector(written).open(never));
    expect((await opened({ executable: 'no-such-browser' })).message).toContain(
      'there is no program "no-such-browser"',
    );
    if (isRoot) expect((await opened({ sandbox: true })).message).toContain('write sandbox = false');
  });

  test('is reported at start when PATH has no browser', async () => {
    const { PATH } = process.env;
    process.env['PATH'] = bed.folder;
    onTestFinished(() => void (process.env['PATH'] = PATH));
    const { code, message, retriable } = await failureOf(bed.connector().open(never));
    expect([code, message, retriable]).toEqual([
      'connector_refused',
      'there is no browser in PATH (chromium, chromium-browser, google-chrome): install chromium, write executable, or leave out driver',
      false,
    ]);
  });

  test('R-79: that fails is a failure with what it said, and another one is tried with the next document', async () => {
    const { execute } = await open({ executable: program('echo "no display" >&2\nexit 3') });
    const { code, message } = await failureOf(execute({ payload: {} }));
    expect([code, message]).toEqual(['connector_failed', 'the browser failed: exit status 3, stderr: no display']);
    program('kill -9 $$');
    expect((await failureOf(execute({ payload: {} }))).message).toBe('the browser failed: ended by SIGKILL, stderr: ');
    await expectNothingLeft();
  });

  /** Answers each request with `fields`; `navigated` follows the request for the page. */
  const speaking = (fields: string, navigated = `send({ method: 'Page.loadEventFired' })`) => {
    bed.write(
      'speaker.mjs',
      `import { createReadStream, createWriteStream } from 'node:fs';
       const out = createWriteStream(null, { fd: 4 });
       out.on('error', () => process.exit());
       const send = (message) => out.write(JSON.stringify(message) + '\\0');
       let held = '';
       let reads = 0;
       for await (const piece of createReadStream(null, { fd: 3, encoding: 'utf8' })) {
         const parts = (held + piece).split('\\0');
         held = parts.pop();
         for (const { id, method } of parts.map((part) => JSON.parse(part))) {
           if (method === 'IO.read') console.error(++reads);
           send({ id, ...(${fields}) });
           if (method === 'Page.navigate') { ${navigated} }
         }
       }`,
    );
    return program(`exec ${process.execPath} ${join(bed.folder, 'speaker.mjs')} 2> ${join(bed.folder, 'reads')}`);
  };

  test('a document without end is given up when it is too large, and not before', async () => {
    const executable = speaking(
      `{ result: { data: Buffer.alloc(1024 * 1024).toString('base64'), base64Encoded: true, eof: false } }`,
    );
    const { execute } = await open({ executable });
    expect(await failureOf(execute({ payload: {} }))).toMatchObject({
      code: 'body_too_large',
      message: 'the document has more than 67108864 bytes',
    });
    expect(readFileSync(join(bed.folder, 'reads'), 'utf8').trim().split('\n').length).toBe(65);
    await expectNothingLeft();
  });

  test.each<[string, string, string, string]>([
    ['refuses', `{ error: { message: 'not now' } }`, '', 'the browser refused: not now'],
    ['cannot read the page', `{ result: { errorText: 'net::ERR' } }`, '', 'the browser cannot read the page: net::ERR'],
    [
      'prints nothing',
      `{ result: { data: '', eof: true } }`,
      `send({ method: 'Page.loadEventFired' })`,
      'the browser printed nothing',
    ],
    ['is malformed', `{}`, `out.write('{\\0')`, 'the browser is malformed'],
    [
      'says too much',
      `{}`,
      `for (let at = 0; at < 10; at++) out.write('x'.repeat(1024 * 1024))`,
      'the browser sent too large a message',
    ],
  ])('one that %s is a failure, and is ended', async (_, fields, navigated, message) => {
    const { execute } = await open({ executable: speaking(fields, navigated) });
    expect(await failureOf(execute({ payload: {} }))).toMatchObject({ code: 'connector_failed', message });
    await expectNothingLeft();
  });

  test('A-03: as many silent ones as there may be leave their places to others', async () => {
    const { execute } = await open({ executable: program('exec sleep 1000'), max_processes: 2, timeout: 200 });
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => failureOf(execute({ payload: {} }))));
    for (const { code, retriable } of outcomes)
      expect([code, retriable]).toEqual([expect.stringMatching(/^connector_(timeout|busy)$/), true]);
    await expectNothingLeft();
    expect((await failureOf(execute({ payload: {} }))).code).toBe('connector_timeout');
  });
});
