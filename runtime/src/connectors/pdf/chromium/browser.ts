import { join } from 'node:path';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Channel, Program } from '../../../platform/processes/program.ts';
import type { Page } from '../documents.ts';
import { DevTools } from './devtools.ts';
import { makeFolder, removeFolder } from './folders.ts';
import { PageServer, strictPolicy } from './page-server.ts';

export interface BrowserSettings {
  /** Absolute path of the browser. */
  readonly executable: string;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: boolean;
}

/** What keeps a page to itself; each is enough to stop scripts. */
export interface Defences {
  /** Content Security Policy of the page. */
  readonly policy: string;
  /** Whether the browser runs the scripts of the page. */
  readonly scripts: boolean;
}

const everyDefence: Defences = { policy: strictPolicy, scripts: false };

/** Bytes of a document, and of one piece of it. */
const mostBytes = 64 * 1024 * 1024;
const pieceBytes = 1024 * 1024;
/** Milliseconds between SIGTERM and SIGKILL. */
const killAfter = 1000;

/** Switches of Chromium: nothing that it does by itself, and nothing of a person. */
const quiet = [
  '--headless=new',
  '--remote-debugging-pipe',
  '--no-startup-window',
  '--disable-gpu',
  '--disable-3d-apis',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-quic',
  '--disable-speech-api',
  '--disable-sync',
  '--deny-permission-prompts',
  '--no-pings',
  '--no-first-run',
  '--no-default-browser-check',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/**
 * Prints a page with a browser of its own, whose only peer is a proxy that gives the page and files in the folder of its
 * template. `gone` resolves when nothing of the browser is left. Throws a Failure when it cannot be started.
 */
export async function print(
  page: Page,
  settings: BrowserSettings,
  stop: AbortSignal,
  defences: Defences = everyDefence,
) {
  const folder = await makeFolder();
  const server = new PageServer(page, defences.policy);
  const clean = async () => {
    server.close();
    await removeFolder(folder);
  };
  try {
    await server.open();
    const args = [
      ...quiet,
      ...(settings.sandbox ? [] : ['--no-sandbox']),
      `--proxy-server=http://${server.address}`,
      '--proxy-bypass-list=<-loopback>',
      // No name is looked up, whatever asks for it.
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
      `--user-data-dir=${join(folder, 'profile')}`,
    ];
    const { executable, env } = settings;
    const program = new Program(
      { file: executable, args, env: { ...env, HOME: folder }, cwd: folder, hasChannel: true },
      { stop, killAfter, maxStderr: 4096 },
    );
    const answer = printed(program, server, defences);
    answer.catch(() => undefined);
    const gone = program.gone.then(() => answer.catch(() => undefined)).then(clean);
    return { answer, gone };
  } catch (error) {
    await clean();
    throw error;
  }
}

async function printed(program: Program, server: PageServer, defences: Defences): Promise<Uint8Array<ArrayBuffer>> {
  program.stdin.end();
  const written = drained(program);
  const { to, from } = program.channel as Channel;
  const devtools = new DevTools(to, from);
  try {
    const bytes = await documentOf(devtools, server, defences);
    // It ends with its pipe.
    to.end();
    return bytes;
  } catch (error) {
    const { hasEnded } = devtools;
    program.end(error as Failure, true);
    await written;
    throw hasEnded ? await failureOf(program, error) : error;
  }
}

/** What it writes says nothing of the document. */
async function drained(program: Program): Promise<void> {
  try {
    for await (const _ of program.output());
  } catch {
    // It was ended.
  }
}

/** How a browser ended that had not printed. */
async function failureOf(program: Program, cause: unknown): Promise<Failure> {
  const { status, signal } = await program.exit;
  const how = signal === undefined ? `exit status ${status}` : `ended by ${signal}`;
  return new Failure('connector_failed', `the browser failed: ${how}, stderr: ${program.stderr.slice(-500)}`, {
    cause,
  });
}

async function documentOf(
  devtools: DevTools,
  server: PageServer,
  { scripts }: Defences,
): Promise<Uint8Array<ArrayBuffer>> {
  const { targetId } = await devtools.ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.ask('Target.attachToTarget', { targetId, flatten: true });
  const ask = (method: string, params: Readonly<Record<string, unknown>> = {}) =>
    devtools.ask(method, params, String(sessionId));
  await ask('Emulation.setScriptExecutionDisabled', { value: !scripts });
  await ask('Page.enable');
  const loaded = devtools.event('Page.loadEventFired');
  const { errorText } = await ask('Page.navigate', { url: server.url });
  if (errorText !== undefined) throw new Failure('connector_failed', `the browser cannot read the page: ${errorText}`);
  await loaded;
  const { stream } = await ask('Page.printToPDF', {
    printBackground: true,
    preferCSSPageSize: true,
    transferMode: 'ReturnAsStream',
  });
  const bytes = await readStream((params) => ask('IO.read', { handle: stream, ...params }));
  if (server.isLeft)
    throw new Failure(
      'connector_failed',
      'the page leads its browser to another one: a document has no other pages in it, and no refresh',
      { retriable: false },
    );
  return bytes;
}

/** The document, which is not held beyond its bound. */
async function readStream(
  read: (params: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let size = 0;
  for (;;) {
    const { data, base64Encoded, eof } = await read({ size: pieceBytes });
    const piece = Buffer.from(String(data), base64Encoded === true ? 'base64' : 'latin1');
    size += piece.length;
    if (size > mostBytes) throw new Failure('body_too_large', `the document has more than ${mostBytes} bytes`);
    pieces.push(piece);
    if (eof === true) break;
  }
  if (size === 0) throw new Failure('connector_failed', 'the browser printed nothing');
  return new Uint8Array(Buffer.concat(pieces, size));
}
