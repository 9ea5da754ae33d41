import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { describeInBrowser, test } from '../journey.ts';
import { pollOptions } from '../pages/poll-options.ts';
import { TextEditor } from '../pages/text-editor.ts';
import { Workbench } from '../pages/workbench.ts';

const path = 'types.hcl';
const mine = '# written here';
const theirs = '# written elsewhere\n';

/** Whether what was typed is kept apart from the files, for the case that the window does not live to save it. */
const isKept = (settings: string) =>
  readdirSync(settings, { recursive: true, encoding: 'utf8' }).some(
    (name) => /drafts.*\.json$/.test(name) && readFileSync(join(settings, name), 'utf8').includes(mine),
  );

/** The tab that a folder opens with; it has the name of the folder. */
const map = expect.stringMatching(/^svc-|^orders/);

describeInBrowser('text that is not saved', () => {
  test('gives way to what another program wrote, and comes back by undo', async ({ journey }) => {
    const { workbench, page, directory } = journey;
    const editor = await workbench.open(path);
    await editor.goTo(1);
    await page.keyboard.type(mine);
    await workbench.unsaved(path).waitFor();
    writeFileSync(join(directory, path), theirs);
    const banner = page.getByRole('alert').filter({ hasText: `${path} changed on disk` });
    await banner.getByRole('button', { name: "Take the file's" }).click();
    await banner.waitFor({ state: 'detached' });
    await expect.poll(() => editor.text(), pollOptions).toBe(theirs);
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
    await editor.input.focus();
    await page.keyboard.press('Control+z');
    await editor.expectText(mine);
  });

  test('is compared with what another program wrote before the person chooses', async ({ journey }) => {
    const { workbench, page, directory } = journey;
    const before = readFileSync(join(directory, path), 'utf8');
    const editor = await workbench.open(path);
    await editor.goTo(1);
    await page.keyboard.type(mine);
    await workbench.unsaved(path).waitFor();
    writeFileSync(join(directory, path), theirs);
    const banner = page.getByRole('alert').filter({ hasText: `${path} changed on disk` });
    await banner.getByRole('button', { name: 'Compare' }).click();
    const comparison = page.getByRole('region', { name: `${path}: on disk, and here` });
    await comparison.locator('.line-insert').first().waitFor();
    await comparison.locator('.line-delete').first().waitFor();
    await banner.getByRole('button', { name: 'Compare' }).click();
    await comparison.waitFor({ state: 'detached' });
    await editor.expectText(mine);
    await banner.getByRole('button', { name: 'Keep mine' }).click();
    await banner.waitFor({ state: 'detached' });
    await expect.poll(() => readFileSync(join(directory, path), 'utf8'), pollOptions).toContain(before.split('\n')[0]);
  });

  test('is written over what another program wrote when the person wants that', async ({ journey }) => {
    const { workbench, page, directory } = journey;
    const before = readFileSync(join(directory, path), 'utf8');
    const editor = await workbench.open(path);
    await editor.goTo(1);
    await page.keyboard.type(mine);
    await workbench.unsaved(path).waitFor();
    writeFileSync(join(directory, path), theirs);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(() => readFileSync(join(directory, path), 'utf8'), pollOptions).toBe(mine + before);
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
  });

  test('is not saved over what another program wrote', async ({ journey: { workbench, page, directory } }) => {
    const editor = await workbench.open(path);
    await editor.goTo(1);
    await page.keyboard.type(mine);
    writeFileSync(join(directory, path), theirs);
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Keep mine' }).waitFor();
    expect(readFileSync(join(directory, path), 'utf8')).toBe(theirs);
    await workbench.unsaved(path).waitFor();
  });

  test('is there again when the page is loaded again', async ({ journey: { workbench, page, settings } }) => {
    page.on('dialog', (dialog) => dialog.accept());
    const editor = await workbench.open(path);
    await editor.goTo(1);
    await page.keyboard.type(mine);
    await expect.poll(() => isKept(settings), pollOptions).toBe(true);
    await page.reload();
    await workbench.ready();
    await editor.expectText(mine);
    await workbench.unsaved(path).waitFor();
    expect(await workbench.tabs()).toEqual([map, `${path}, not saved`]);
  });

  test('is there again after the page was killed', async ({ journey: { workbench, page, context, settings } }) => {
    const editor = await workbench.open(path);
    await editor.goTo(1);
    await page.keyboard.type(mine);
    await expect.poll(() => isKept(settings), pollOptions).toBe(true);
    const address = page.url();
    const crashed = new Promise((resolve) => page.once('crash', resolve));
    const session = await context.newCDPSession(page);
    session.send('Page.crash').catch(() => undefined);
    await crashed;
    const next = await context.newPage();
    await next.goto(address);
    const workbenchAfter = new Workbench(next);
    await workbenchAfter.ready();
    await new TextEditor(next, path).expectText(mine);
    await workbenchAfter.unsaved(path).waitFor();
  });

  test('is asked about when its tab is closed', async ({ journey: { workbench, page, directory } }) => {
    const before = readFileSync(join(directory, path), 'utf8');
    const editor = await workbench.open(path);
    await editor.goTo(1);
    await page.keyboard.type(mine);
    await workbench.tab(path).focus();
    await page.keyboard.press('Delete');
    const question = page.getByRole('dialog', { name: `Save the changes of ${path}?` });
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(() => workbench.tabs(), pollOptions).toEqual([map]);
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
    expect(readFileSync(join(directory, path), 'utf8')).toBe(before);
  });
});
