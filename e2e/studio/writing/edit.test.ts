import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCommand } from '../../../test/support/service.ts';
import { describeInBrowser, test } from '../journey.ts';
import { pollOptions } from '../pages/poll-options.ts';
import { TextEditor } from '../pages/text-editor.ts';

/** The tab that a folder opens with; it has the name of the folder. */
const map = expect.stringMatching(/^svc-|^orders/);

describeInBrowser('a person who edits a service', () => {
  test('opens a folder, and sees its files and what is in them', async ({ journey: { workbench, page } }) => {
    await workbench.open('flows/create-order.hcl');
    const names = await page.getByRole('tree', { name: 'Files' }).getByRole('treeitem').allTextContents();
    expect(names).toEqual([
      'flows',
      'change-order.hcl',
      'create-order.hcl',
      'delete-order.hcl',
      'fetch-order.hcl',
      'list-orders.hcl',
      'migrations',
      '001_orders.sql',
      'tests',
      'create-order.hcl',
      'orders.hcl',
      'connectors.hcl',
      'orders.db',
      'README.md',
      'service.hcl',
      'types.hcl',
    ]);
    const outline = page.getByRole('tree', { name: 'Outline' }).getByRole('treeitem');
    await expect
      .poll(() => outline.allTextContents(), pollOptions)
      .toEqual([
        expect.stringContaining('from'),
        'validate',
        expect.stringContaining('transform'),
        ...['customerstring', 'emailstring', 'item', 'quantity', 'unit_price', 'total', 'status', 'created_atstring'],
        expect.stringContaining('to'),
        expect.stringContaining('response'),
        ...['id', 'hrefstring'],
        'after',
        'invalidate',
      ]);
    await workbench.expectProblems('no problems');
  });

  test('has brackets closed and lines indented, however fast the keys come', async ({
    journey: { workbench, page },
  }) => {
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goBehind('target    = "orders"');
    await page.keyboard.press('Enter');
    await page.keyboard.type('transform {');
    await page.keyboard.press('Enter');
    await page.keyboard.type('id');
    await editor.expectText('    target    = "orders"\n    transform {\n      id\n    }\n  }');
  });

  test('sees a mistake at once, and corrects it with a quick fix', async ({ journey: { workbench, page } }) => {
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goBehind('connector = "api');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('y');
    await workbench.expectProblems('1 error');
    await expect.poll(() => editor.squiggles('error').count(), pollOptions).toBe(1);
    await expect
      .poll(() => workbench.problems.allTextContents(), pollOptions)
      .toEqual([
        'create-order.hclflows1 error',
        'there is no connector named "apy". Did you mean "api"? These exist: api, db, cache.unknown-connectorLn 3, Col 17',
      ]);
    await page.keyboard.press('Control+.');
    await page
      .getByRole('menuitem', { name: /"api"/ })
      .or(page.getByRole('option', { name: /"api"/ }))
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await workbench.expectProblems('no problems');
    await editor.expectText('connector = "api"');
    await expect.poll(() => editor.squiggles('error').count(), pollOptions).toBe(0);
  });

  test('reads what is wrong and why under the pointer, and does what its card offers', async ({
    journey: { workbench, page },
  }) => {
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goBehind('connector = "api');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('y');
    await workbench.expectProblems('1 error');
    await editor.point('"apy"');
    const card = page.locator('.monaco-hover:visible');
    await expect
      .poll(async () => (await card.allInnerTexts()).join('\n'), pollOptions)
      .toMatch(/there is no connector named "apy"[\s\S]*These exist: api, db, cache/i);
    await card.locator('a[data-href^="command:svc.fix"]').filter({ hasText: '"api"' }).click();
    await workbench.expectProblems('no problems');
    await editor.expectText('connector = "api"');
  });

  test('is offered attributes and fields of what arrives', async ({ journey: { workbench, page } }) => {
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goBehind('target    = "orders"');
    await page.keyboard.press('Enter');
    await page.keyboard.type('oper');
    await expect.poll(() => editor.suggestions.first().textContent(), pollOptions).toMatch(/^operation/);
    await page.keyboard.press('Enter');
    await editor.expectText(/^ {4}operation *= /m);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');

    await editor.goBehind('created_at = "now()"');
    await page.keyboard.press('Enter');
    await page.keyboard.type('extra = ');
    await editor.expectText('    extra = ');
    await page.keyboard.type('"');
    await editor.expectText('extra = ""');
    await page.keyboard.type('input.');
    const labels = () => editor.suggestions.locator('.label-name').allTextContents();
    await expect
      .poll(labels, pollOptions)
      .toEqual(expect.arrayContaining(['customer', 'email', 'item', 'quantity', 'unit_price']));
    await page.keyboard.type('unit');
    await expect.poll(labels, pollOptions).toEqual(['unit_price']);
    await page.keyboard.press('Enter');
    await editor.expectText('extra = "input.unit_price"');
  });

  test('reads what a function does where it is written', async ({ journey: { workbench, page } }) => {
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.point('lower');
    const hover = page.locator('.monaco-hover:visible');
    await expect.poll(() => hover.first().textContent(), pollOptions).toMatch(/lower\(.*string/);
  });

  test('goes from a name to its definition in another file', async ({ journey: { workbench, page } }) => {
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goBehind('connector = "d');
    await page.keyboard.press('F12');
    await page.getByText('Ln 27, Col 12', { exact: true }).waitFor();
    const connectors = new TextEditor(page, 'connectors.hcl');
    await connectors.expectText('connector "db" {');
    expect(await workbench.tabs()).toEqual([map, 'create-order.hcl', 'connectors.hcl']);
  });

  test('renames a connector in every file and saves them all', async ({ journey: { workbench, page, directory } }) => {
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goBehind('connector = "d');
    await page.keyboard.press('F2');
    const field = page.locator('.rename-box input');
    await expect.poll(() => field.inputValue(), pollOptions).toBe('db');
    await field.fill('store');
    await page.keyboard.press('Enter');
    await workbench.expectSaid('Renamed to store in 8 files, not saved yet');
    await workbench.expectProblems('no problems');
    expect(databaseNames(directory)).toEqual({ db: 6, store: 0 });
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(8);
    await page.keyboard.press('Control+Alt+s');
    await expect.poll(() => databaseNames(directory), pollOptions).toEqual({ db: 0, store: 6 });
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
    expect(await runCommand(['validate', '-c', directory])).toMatchObject({ code: 0 });
  });

  test('has a file laid out', async ({ journey: { workbench, page, directory } }) => {
    const before = readFileSync(join(directory, 'flows/create-order.hcl'), 'utf8');
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goBehind('    customer ');
    await page.keyboard.type('      ');
    await editor.expectText('    customer         = ');
    await page.keyboard.press('Alt+Shift+f');
    await editor.expectText('    customer   = ');
    await page.keyboard.type(' ');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Control+s');
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
    expect(readFileSync(join(directory, 'flows/create-order.hcl'), 'utf8')).toBe(before);
  });

  test('finds text in files and files by name', async ({ journey: { workbench, page } }) => {
    await page.keyboard.press('Control+Shift+f');
    await page.getByRole('textbox', { name: 'Search in files' }).fill('output.id');
    await page.getByText('3 matches in 1 file', { exact: true }).waitFor();
    const rows = page.getByRole('tree', { name: 'Matches' }).getByRole('treeitem');
    expect(await rows.allTextContents()).toEqual([
      'create-order.hcl flows3 matches',
      'id               = "output.id"30',
      `…ders/' + string(output.id)"31`,
      `…rder:' + string(output.id)]"38`,
    ]);
    await rows.nth(2).click();
    await new TextEditor(page, 'flows/create-order.hcl').expectText('href');
    await page.getByText(/^Ln 31, Col \d+$/).waitFor();

    await page.keyboard.press('Control+p');
    await workbench.palette.fill('lstor');
    await expect.poll(() => workbench.results.first().textContent(), pollOptions).toBe('list-orders.hclflows');
    await page.keyboard.press('Enter');
    await workbench.tab('list-orders.hcl').waitFor();
    await expect.poll(() => workbench.tabs(), pollOptions).toEqual([map, 'create-order.hcl', 'list-orders.hcl']);
  });

  test('changes the colours, by the palette and by the settings', async ({
    journey: { workbench, page, settings },
  }) => {
    await workbench.open('service.hcl');
    await workbench.expectTheme('dark');
    await workbench.choose('Settings: Colour Theme');
    await page.getByRole('combobox', { name: 'Colour theme' }).fill('High contrast dark');
    await workbench.expectTheme('hc-dark');
    await page.keyboard.press('Escape');
    await workbench.expectTheme('dark');
    await page.keyboard.press('Control+,');
    const choice = page.getByRole('combobox', { name: 'Colour theme' });
    for (const theme of ['hc-dark', 'hc-light', 'light']) {
      await choice.selectOption(theme);
      await workbench.expectTheme(theme);
    }
    const stored = () => readFileSync(join(settings, 'svc-studio', 'settings.json'), 'utf8');
    await expect.poll(stored, pollOptions).toContain('"theme": "light"');
    await page.reload();
    await workbench.ready();
    await workbench.expectTheme('light');
  });
});

/** How many files name a connector in place of the database. */
function databaseNames(directory: string): { db: number; store: number } {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.hcl'));
  const holding = (name: string) =>
    files.filter((path) => new RegExp(`connector *=? *"${name}"`).test(readFileSync(join(directory, path), 'utf8')));
  return { db: holding('db').length, store: holding('store').length };
}
