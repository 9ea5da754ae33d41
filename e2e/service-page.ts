import { rmSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { folderWith } from '../test/support/folder.ts';
import { startService } from '../test/support/service.ts';

/** A page that a service serves, in a browser. */
export interface ServicePage {
  readonly page: Page;
  /** Of the service. */
  readonly address: string;
  /** What went wrong in the page. */
  readonly complaints: readonly string[];
  /** The servers that it asked. */
  readonly asked: () => readonly string[];
}

/** Starts the built program with this configuration, and ends it with the browser when `act` is done. */
export async function onServicePage(configuration: string, act: (page: ServicePage) => Promise<void>): Promise<void> {
  const directory = folderWith({ 'service.hcl': configuration });
  const service = await startService({ directory });
  try {
    const browser = await chromium.connectOverCDP(process.env['TEST_BROWSER_URL'] ?? '');
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      const complaints: string[] = [];
      const asked = new Set<string>();
      page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('request', (request) => asked.add(new URL(request.url()).origin));
      // Of data in addresses, the origin is `null`.
      const servers = () => [...asked].filter((origin) => origin !== 'null');
      await act({ page, address: service.address, complaints, asked: servers });
    } finally {
      await context.close();
      await browser.close();
    }
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
