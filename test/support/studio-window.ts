import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { program } from './service.ts';

export const browserAddress = process.env['TEST_BROWSER_URL'] ?? '';

export interface StudioOptions {
  readonly directory?: string | undefined;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly theme?: 'dark' | 'light';
  readonly env?: Readonly<Record<string, string>>;
  /** Address of the browser's DevTools protocol; what the environment names when it is absent. */
  readonly browser?: string;
  /** Further options of the command. */
  readonly args?: readonly string[];
  /** A script that every page of the window runs first. */
  readonly script?: string;
}

/** The built studio with one window in a real browser. */
export interface StudioWindow {
  readonly page: Page;
  readonly context: BrowserContext;
  /** With the token that lets one window in. */
  readonly address: string;
  readonly pid: number;
  /** What the page complained about: exceptions and errors of its console. */
  readonly complaints: readonly string[];
  /** The folder where it keeps settings and unsaved text. */
  readonly settings: string;
  /** What the program wrote. */
  readonly log: () => string;
  /** Ends the window, the program and with it the service that it runs. */
  close(): Promise<void>;
}

/** Starts `svc studio` with settings of its own and opens its address. Rejects with its log when it ends before. */
export async function openStudio(options: StudioOptions = {}): Promise<StudioWindow> {
  const settings = mkdtempSync(join(tmpdir(), 'svc-studio-'));
  const args = [
    program,
    'studio',
    ...(options.directory === undefined ? [] : [options.directory]),
    '--port',
    '0',
    ...(options.args ?? []),
  ];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', XDG_CONFIG_HOME: settings, ...options.env },
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  let log = '';
  const address = await new Promise<string>((resolve, reject) => {
    const read = (piece: Buffer) => {
      log += piece;
      const found = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/.exec(log);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('close', () => reject(new Error(`svc studio ended before it was ready:\n${log}`)));
  });
  const { page, context, complaints, disconnect } = await openPage(address, options);
  return {
    page,
    context,
    address,
    pid: child.pid as number,
    complaints,
    settings,
    log: () => log,
    close: async () => {
      await disconnect();
      child.kill('SIGTERM');
      await ended;
      rmSync(settings, { recursive: true, force: true });
    },
  };
}

async function openPage(address: string, options: StudioOptions) {
  const {
    viewport = { width: 1440, height: 900 },
    theme = 'dark',
    browser: browserAt = browserAddress,
    script,
  } = options;
  const browser: Browser = await chromium.connectOverCDP(browserAt);
  const context = await browser.newContext({ viewport, colorScheme: theme, reducedMotion: 'reduce' });
  if (script !== undefined) await context.addInitScript({ path: script });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(address);
  const disconnect = async () => {
    await context.close();
    await browser.close();
  };
  return { page, context, complaints, disconnect };
}
