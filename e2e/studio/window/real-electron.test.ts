import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { _electron } from 'playwright-core';
import { test } from 'vitest';
import { folderWith } from '../../../test/support/folder.ts';
import { builtWithEmptyPage } from '../built.ts';
import { bridgeContract } from '../contract.ts';

/** Folder with the program of Electron; it is fetched from elsewhere and cannot be had everywhere. */
const installed = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
const names: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

if (installed === undefined)
  test.skip('the bridge of the real Electron: ELECTRON_OVERRIDE_DIST_PATH names none', () => undefined);
else
  bridgeContract('the real Electron', async () => {
    const built = builtWithEmptyPage();
    const settings = folderWith();
    const app = await _electron.launch({
      executablePath: join(installed, names[process.platform] ?? 'electron'),
      args: [join(built.directory, 'studio/dist/main.js')],
      env: { ...(process.env as Record<string, string>), XDG_CONFIG_HOME: settings, SVC_NODE: process.execPath },
    });
    const page = await app.firstWindow();
    await page.waitForLoadState();
    return {
      page,
      close: async () => {
        await app.close();
        built.remove();
        rmSync(settings, { recursive: true, force: true });
      },
    };
  });
