import { freePort } from '../free-port.ts';
import { findProgram, makeFolder, startProgram } from './program.ts';
import type { Server } from './server.ts';

const program = () => findProgram('chromium') ?? findProgram('chromium-browser') ?? findProgram('google-chrome');

async function answers(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/json/version`)).ok;
  } catch {
    return false;
  }
}

/** A browser without a screen that tests drive over the DevTools protocol; each test has a context of its own in it. */
export const chromium: Server = {
  name: 'Chromium',
  variable: 'TEST_BROWSER_URL',
  usualAddress: 'http://127.0.0.1:9222',
  packages: ['chromium'],
  isInstalled: () => program() !== undefined,
  answers,
  async start() {
    const folder = makeFolder('chromium');
    const port = await freePort();
    // The sandbox of the browser cannot be used by the superuser, who runs tests in containers.
    const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const quiet = ['--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking'];
    return startProgram({
      program: program() as string,
      args: [
        '--headless=new',
        `--remote-debugging-port=${port}`,
        `--user-data-dir=${folder}/profile`,
        ...asRoot,
        ...quiet,
      ],
      folder,
      address: `http://127.0.0.1:${port}`,
      signal: 'SIGTERM',
      answers,
    });
  },
};
