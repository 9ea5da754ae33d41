import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../../errors/failure.ts';
import { Program } from '../../../processes/program.ts';
import type { Page } from '../documents.ts';
import { PageServer } from './page-server.ts';

export interface BrowserSettings {
  /** Absolute path of the browser. */
  readonly executable: string;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: boolean;
}

/** Bytes of a document. */
const mostBytes = 64 * 1024 * 1024;
/** Milliseconds between SIGTERM and SIGKILL. */
const killAfter = 1000;

/** Switches of Chromium: nothing that it does by itself, and nothing of a person. */
const quiet = [
  '--headless=new',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pdf-header-footer',
];

/**
 * Prints a page with a browser of its own, whose only peer is a proxy that gives the page and files in the folder of its
 * template. `gone` resolves when nothing of the browser is left. Throws a Failure when it cannot be started.
 */
export async function print(page: Page, settings: BrowserSettings, stop: AbortSignal) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-browser-'));
  const server = new PageServer(page);
  const clean = async () => {
    server.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    await server.open();
    const file = join(folder, 'document.pdf');
    const args = [
      ...quiet,
      ...(settings.sandbox ? [] : ['--no-sandbox']),
      `--proxy-server=http://${server.address}`,
      '--proxy-bypass-list=<-loopback>',
      `--user-data-dir=${join(folder, 'profile')}`,
      `--print-to-pdf=${file}`,
      server.url,
    ];
    const { executable, env } = settings;
    const program = new Program(
      { file: executable, args, env: { ...env, HOME: folder }, cwd: folder },
      { stop, killAfter, maxStderr: 4096 },
    );
    const answer = printed(program, server, file);
    answer.catch(() => undefined);
    const gone = program.gone.then(() => answer.catch(() => undefined)).then(clean);
    return { answer, gone };
  } catch (error) {
    await clean();
    throw error;
  }
}

async function printed(program: Program, server: PageServer, file: string): Promise<Uint8Array<ArrayBuffer>> {
  program.stdin.end();
  // What it writes says nothing of the document.
  for await (const _ of program.output());
  const { status, signal } = await program.exit;
  if (server.isLeft)
    throw new Failure(
      'connector_failed',
      'the page leads its browser to another one: a document has no other pages in it, and no refresh',
      { retriable: false },
    );
  if (status !== 0) {
    const how = signal === undefined ? `exit status ${status}` : `ended by ${signal}`;
    throw new Failure('connector_failed', `the browser failed: ${how}, stderr: ${program.stderr.slice(-500)}`);
  }
  return read(file);
}

async function read(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw new Failure('connector_failed', 'the browser printed nothing', { cause });
  });
  try {
    if ((await file.stat()).size > mostBytes)
      throw new Failure('body_too_large', `the document has more than ${mostBytes} bytes`);
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}
