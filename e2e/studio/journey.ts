import { test as base, describe, expect } from 'vitest';
import { runCommand } from '../../test/support/service.ts';
import { browserAddress, type StudioOptions } from '../../test/support/studio-window.ts';
import { copyExample } from '../example.ts';
import { type Journey, type OpenedWindow, openWindow } from './opened.ts';

interface Given {
  /** Opens a window that ends with the test. */
  readonly open: (options?: StudioOptions) => Promise<OpenedWindow>;
  readonly journey: Journey;
}

/** A test that is given windows; when it is over, their pages must not have complained about anything. */
export const test = base.extend<Given>({
  open: async ({ task }, use) => {
    const windows: OpenedWindow[] = [];
    await use(async (options) => {
      const window = await openWindow(options);
      windows.push(window);
      return window;
    });
    if (task.result?.state === 'fail') for (const window of windows) await keepPicture(window, task.name);
    for (const window of windows) await window.close();
    expect(windows.flatMap(({ complaints }) => complaints)).toEqual([]);
  },
  journey: async ({ open }, use) => {
    const { directory, remove } = copyExample('orders');
    expect(await runCommand(['migrate', '-c', directory])).toMatchObject({ code: 0 });
    const window = await open({ directory });
    await window.workbench.ready();
    await use({ ...window, directory });
    remove();
  },
});

/** To debug a test: what the window looked like, in the folder that E2E_PICTURES names. */
async function keepPicture({ page }: OpenedWindow, name: string): Promise<void> {
  const folder = process.env['E2E_PICTURES'];
  if (folder === undefined) return;
  // The page may have crashed, as some tests want it.
  await page
    .screenshot({ path: `${folder}/${name.replaceAll(/\W+/g, '-')}.png`, timeout: 5_000 })
    .catch(() => undefined);
}

/** Tests that need a browser; without one they are skipped, and say so. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (browserAddress === '') console.warn(`SKIP  ${name}: TEST_BROWSER_URL names no browser`);
  describe.skipIf(browserAddress === '')(name, tests);
}
