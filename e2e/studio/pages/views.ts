import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Journey } from '../opened.ts';

/** A part of the window that can be shown by itself. */
export interface View {
  readonly name: string;
  readonly show: (journey: Journey) => Promise<void>;
  /** Goes back to the folder of the journey; absent: it was not left. */
  readonly leave?: (journey: Journey) => Promise<void>;
}

const side = (name: string): View => ({
  name,
  show: async ({ page }) => {
    const bar = page.getByRole('complementary', { name, exact: true });
    const button = page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('button', { name: new RegExp(`^${name}`) });
    if (!(await bar.isVisible())) await button.click();
    await bar.waitFor();
  },
});

const panel = (name: string): View => ({
  name,
  show: async ({ workbench }) => {
    await workbench.panelTab(name).click();
  },
});

const operation = (name: string): View => ({
  name,
  show: async ({ page, workbench }) => {
    await workbench.run(`View: ${name}`);
    await page.getByRole('region', { name, exact: true }).getByText('No service attached.', { exact: false }).waitFor();
  },
});

/** Everything that can be seen without a running service, one after another. */
export const views: readonly View[] = [
  {
    name: 'Text',
    show: async ({ workbench }) => {
      await workbench.open('flows/create-order.hcl');
    },
  },
  ...['Search', 'Run and debug', 'Tests', 'Queues', 'Requests', 'Operations', 'Explorer'].map(side),
  ...['Timeline', 'Output', 'Test result', 'Problems'].map(panel),
  {
    name: 'Canvas',
    show: async ({ page }) => {
      await page.getByRole('group', { name: 'What to show' }).getByRole('button', { name: 'Canvas' }).click();
      await page.locator('.canvas').first().waitFor();
    },
  },
  {
    name: 'Properties',
    show: async ({ page, workbench }) => {
      await page.locator('.flow-node').filter({ hasText: 'create_order' }).click();
      await workbench.run('Canvas: Properties');
      await page.getByRole('region', { name: 'Properties' }).getByText('create_order').first().waitFor();
    },
  },
  {
    name: 'Request',
    show: async ({ page }) => {
      await page
        .getByRole('navigation', { name: 'Views' })
        .getByRole('button', { name: /^Requests/ })
        .click();
      await page.getByRole('button').filter({ hasText: 'create_order' }).filter({ hasText: 'POST' }).first().click();
      await page.getByRole('region', { name: 'Request', exact: true }).waitFor();
    },
  },
  ...['Workflows', 'Schedules', 'Caches', 'Metrics'].map(operation),
  {
    name: 'Palette',
    show: async ({ page, workbench }) => {
      await page.keyboard.press('Control+Shift+p');
      await workbench.results.first().waitFor();
    },
  },
  {
    name: 'Keys',
    show: async ({ page }) => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'Settings',
    show: async ({ page }) => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+,');
      await page.getByRole('document', { name: 'Settings' }).waitFor();
    },
  },
  {
    name: 'Welcome',
    show: async ({ page, workbench }) => {
      await workbench.run('Help: Welcome');
      await page.getByRole('document', { name: 'Welcome' }).waitFor();
    },
  },
  {
    name: 'First steps',
    show: async ({ page, workbench, directory }) => {
      await workbench.run('File: New From Template');
      const dialog = page.getByRole('dialog', { name: 'New project from a template' });
      await dialog.getByRole('combobox').fill(join(dirname(directory), `${basename(directory)}-first`));
      await dialog.getByRole('button', { name: 'Create project' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('region', { name: 'First steps' }).waitFor();
    },
    leave: async ({ page, workbench, directory }) => {
      await workbench.run('File: Open Folder');
      const dialog = page.getByRole('dialog', { name: 'Open a folder' });
      await dialog.getByRole('combobox').fill(directory);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('region', { name: 'First steps' }).waitFor({ state: 'detached' });
      await page.getByText('Language service ready').waitFor();
      rmSync(join(dirname(directory), `${basename(directory)}-first`), { recursive: true });
    },
  },
];
