import type { StudioWindow } from '../../support/studio-window.ts';

type Page = StudioWindow['page'];

/** Starts to wait in the page, does something there, and gives what the page measured. */
export async function timed<T = number>(page: Page, expression: string, act: () => Promise<unknown>): Promise<T> {
  // Input overtakes scripts on its way to the page: what waits for it is there first.
  await page.evaluate(`void (probe.measured = ${expression})`);
  await act();
  return page.evaluate<T>('probe.measured');
}

/** Opens a text by its name and puts the caret into it. */
export async function openFile(page: Page, name: string): Promise<void> {
  await page.getByRole('tree', { name: 'Files' }).waitFor();
  await page.keyboard.press('Control+p');
  await page.getByRole('dialog', { name: 'Go to, search, run' }).getByRole('combobox').fill(name);
  await page.getByRole('option', { name }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.view-line').first().click();
}

/** Puts the caret to a line, from 1, and before a column, from 0. */
export async function goTo(page: Page, line: number, column: number): Promise<void> {
  await page.keyboard.press('Control+Home');
  for (let step = 1; step < line; step++) await page.keyboard.press('ArrowDown');
  for (let step = 0; step < column; step++) await page.keyboard.press('ArrowRight');
}
