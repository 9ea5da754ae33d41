import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { folderWith } from '../../../test/support/folder.ts';
import { smallService } from '../../../test/support/small-service.ts';
import { browserAddress, openStudio, type StudioWindow } from '../../../test/support/studio-window.ts';
import { until } from '../../../test/support/until.ts';

const files = {
  ...smallService,
  'flows/first.hcl': 'flow "first" {\n  from {\n    connector = "api"\n    operation = "GET /first"\n  }\n}\n',
  'flows/second.hcl': 'flow "second" {\n  from {\n    connector = "api"\n    operation = "GET /second"\n  }\n}\n',
  'notes.md': 'What the first flow is for.\n',
};

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

function folder(given: Readonly<Record<string, string>> = files): string {
  const directory = folderWith(given);
  undo.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function open(directory: string): Promise<StudioWindow> {
  const studio = await openStudio({ directory });
  undo.push(() => studio.close());
  await tree(studio.page).waitFor();
  return studio;
}

const tree = (page: Page) => page.getByRole('tree', { name: 'Files' });
const row = (page: Page, name: string) => tree(page).getByRole('treeitem', { name });
const openTab = (page: Page) => page.getByRole('tab', { selected: true }).first();
const focusedPath = (page: Page) => page.evaluate("document.activeElement?.getAttribute('data-path')");

/** Opens a file and writes a line before its first one. */
async function write(page: Page, name: string, text: string): Promise<void> {
  await row(page, name).click();
  await page.locator('.view-line').first().click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type(`${text}\n`);
}

async function seriousFindings(page: Page): Promise<readonly string[]> {
  // The text editor is judged where it is made.
  const { violations } = await new AxeBuilder({ page }).exclude('.monaco-editor').analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

describe.skipIf(browserAddress === '')('the workbench', () => {
  test('the tree is walked by keys; a file that is renamed keeps its unsaved text', async () => {
    const directory = folder();
    const { page, complaints } = await open(directory);
    await row(page, 'flows').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await row(page, 'first.hcl').count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await focusedPath(page)).toBe('flows/first.hcl');
    await page.keyboard.press('n');
    expect(await focusedPath(page)).toBe('notes.md');

    await write(page, 'first.hcl', '# not saved');
    await until(async () => (await page.title()).startsWith('\u25cf first.hcl'));
    await row(page, 'first.hcl').focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('renamed');
    await page.keyboard.press('Enter');
    await until(async () => (await focusedPath(page)) === 'flows/renamed.hcl');
    await until(async () => (await page.title()).startsWith('\u25cf renamed.hcl'));
    expect(existsSync(join(directory, 'flows/first.hcl'))).toBe(false);
    expect(readFileSync(join(directory, 'flows/renamed.hcl'), 'utf8')).toBe(files['flows/first.hcl']);
    await page.getByText('# not saved').waitFor();
    await page.keyboard.press('Control+s');
    await until(() => readFileSync(join(directory, 'flows/renamed.hcl'), 'utf8').startsWith('# not saved'));
    expect(complaints).toEqual([]);
  });

  test('files are made and deleted, the question naming what goes', async () => {
    const directory = folder();
    const { page } = await open(directory);
    await row(page, 'second.hcl').focus();
    await page.getByRole('button', { name: 'New file' }).click();
    await page.keyboard.type('second.hcl');
    expect(await page.getByRole('alert').first().innerText()).toBe('flows/second.hcl exists already.');
    await page.getByLabel('Name of the new file').fill('deep/third.hcl');
    await page.keyboard.press('Enter');
    await until(async () => (await openTab(page).innerText()) === 'third.hcl');
    expect(existsSync(join(directory, 'flows/deep/third.hcl'))).toBe(true);
    await row(page, 'flows').focus();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Delete 3 files' }).click();
    await until(() => !existsSync(join(directory, 'flows')));
    await until(async () => (await page.getByRole('tab', { name: 'third.hcl' }).count()) === 0);
  });

  test('a tab with unsaved text asks before it closes', async () => {
    const directory = folder();
    const { page } = await open(directory);
    await write(page, 'second.hcl', '# lost');
    await page.keyboard.press('Alt+w');
    await page.getByRole('button', { name: 'Keep it open' }).click();
    expect(await openTab(page).innerText()).toContain('second.hcl');
    await page.keyboard.press('Alt+w');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await until(async () => (await page.getByRole('tab', { name: 'second.hcl' }).count()) === 0);
    await page.keyboard.press('Alt+Shift+t');
    await page.locator('.view-line', { hasText: 'flow' }).first().waitFor();
    expect(await page.getByText('# lost').count()).toBe(0);
  });

  test('files, commands, blocks and lines are reached from one field', async () => {
    const { page } = await open(folder());
    const field = page.getByRole('dialog', { name: 'Go to, search, run' }).getByRole('combobox');
    const option = (name: string) => page.getByRole('option', { name });
    await page.keyboard.press('Control+p');
    await field.pressSequentially('scd');
    await option('second.hcl').waitFor();
    await page.keyboard.press('Enter');
    await until(async () => (await openTab(page).innerText()) === 'second.hcl');
    await page.locator('.view-line').first().click();
    await page.keyboard.press('Control+g');
    await field.pressSequentially('4');
    await option('Go to line 4').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.active-line-number', { hasText: '4' }).waitFor();
    await page.keyboard.press('Control+Shift+o');
    await option('from').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+t');
    await field.pressSequentially('first');
    await option('first').waitFor();
    await page.keyboard.press('Enter');
    await until(async () => (await openTab(page).innerText()) === 'first.hcl');
    await page.keyboard.press('Control+Shift+p');
    await field.pressSequentially('colour theme');
    await option('Settings: Colour Theme').waitFor();
    await page.keyboard.press('Enter');
    await option('Light').first().hover();
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    await until(async () => (await theme()) === 'light');
    await page.keyboard.press('Escape');
    await until(async () => (await theme()) === 'dark');
  });

  test('text is found in files, as it is here where it is not saved', async () => {
    const { page } = await open(folder());
    await write(page, 'second.hcl', '# about the first flow');
    await page.keyboard.press('Control+Shift+f');
    await page.getByLabel('Search in files').fill('first flow');
    await page.getByText('2 matches in 2 files').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.locator('.search-line').last().click();
    await until(async () => (await openTab(page).innerText()) === 'notes.md');
    await page.locator('.selected-text').first().waitFor();
    await page.getByRole('button', { name: 'Regular expression' }).click();
    await page.getByLabel('Search in files').fill('(');
    await page.getByText('this is not a regular expression').waitFor();
  });

  test('settings and tabs come back when the page is loaded again', async () => {
    const { page } = await open(folder());
    await row(page, 'notes.md').click();
    await page.keyboard.press('Control+,');
    await page.getByLabel('Density').selectOption('compact');
    await page.getByLabel('Colour theme').selectOption('hc-light');
    expect(await seriousFindings(page)).toEqual([]);
    // What is kept is written half a second after the last change; the page is loaded again when it is there.
    await until(async () => {
      await page.reload();
      await tree(page).waitFor();
      return (await page.getByRole('tab', { name: 'Settings', selected: true }).count()) === 1;
    });
    expect(await page.getByRole('tab', { name: 'notes.md' }).count()).toBe(1);
    expect(await page.evaluate('({ ...document.documentElement.dataset })')).toMatchObject({
      theme: 'hc-light',
      density: 'compact',
    });
  });

  test('another folder is opened in place of the first; nothing runs before it is trusted', async () => {
    const other = folder({ 'only.hcl': '' });
    const { page } = await open(folder());
    await row(page, 'notes.md').click();
    await page.keyboard.press('Control+o');
    await page.getByLabel('Folder, by its whole path').fill('/nowhere/at/all');
    await page.keyboard.press('Enter');
    await page.getByText('there is no folder /nowhere/at/all').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel('Folder, by its whole path').fill(other);
    await page.keyboard.press('Enter');
    await row(page, 'only.hcl').waitFor();
    expect(await tree(page).getByRole('treeitem').count()).toBe(1);
    expect(await page.getByRole('tab', { name: 'notes.md' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Not trusted' }).click();
    await page.getByRole('button', { name: /^Trust / }).click();
    await until(async () => (await page.getByRole('button', { name: 'Not trusted' }).count()) === 0);
  });

  test('F6 goes through the parts of the window, and all of it can be used at twice the size', async () => {
    const { page } = await open(folder());
    const part = () =>
      page.evaluate("document.activeElement?.closest('.title, .activity, .island, .status')?.className.split(' ')[0]");
    const seen = new Set<unknown>();
    for (let step = 0; step < 8; step++) {
      await page.keyboard.press('F6');
      seen.add(await part());
    }
    expect([...seen].sort()).toEqual(['activity', 'island', 'status', 'title']);
    await page.setViewportSize({ width: 720, height: 450 });
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(await overflow()).toBe(0);
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await row(page, 'notes.md').click();
    expect(await openTab(page).innerText()).toBe('notes.md');
  });
});
