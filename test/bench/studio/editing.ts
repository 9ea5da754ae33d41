import type { StudioWindow } from '../../support/studio-window.ts';
import { print, repeated, type Times } from './figures.ts';
import { goTo, openFile, timed } from './timed.ts';

type Page = StudioWindow['page'];

const runs = 60;

/** Keys in a text of a project of 100 files: until they are painted, until what they break is, until suggestions are. */
export async function measureEditing({ page, context }: StudioWindow, bareEditor: string): Promise<void> {
  await openFile(page, 'part_7.hcl');
  const bare = await context.newPage();
  await bare.goto(bareEditor);
  await bare.locator('.view-line').first().click();
  const typedInBare = await typing(bare);
  await bare.close();
  await page.bringToFront();

  const bareTyping = ['an editor alone', typedInBare] as const;
  print('key to its paint', await typing(page), '20 ms', bareTyping);
  const broken = await diagnosing(page);
  print('key to the mark of what it broke', broken, '100 ms', bareTyping);
  print('asked to the list of suggestions', await completing(page), '50 ms', bareTyping);
}

/** Milliseconds from each key to the paint behind it; letters inside a comment, so that nothing but typing happens. */
async function typing(page: Page): Promise<Times> {
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('End');
  return repeated(runs, () => timed(page, 'probe.keyToPaint()', () => page.keyboard.press('x')));
}

/** A letter in the name of a connector breaks it; its removal repairs it. */
async function diagnosing(page: Page): Promise<Times> {
  await goTo(page, 10, '    connector = "a'.length);
  const mark = '.squiggly-error';
  const both = await repeated(runs / 2, async () => [
    await timed(page, `probe.since('keydown', '${mark}')`, () => page.keyboard.press('x')),
    await timed(page, `probe.since('keydown', '${mark}', false)`, () => page.keyboard.press('Backspace')),
  ]);
  return both.flat();
}

async function completing(page: Page): Promise<Times> {
  await goTo(page, 23, '    name  = "lower(input.'.length);
  return repeated(runs / 2, async () => {
    const time = await timed(page, `probe.since('keydown', '.suggest-widget .monaco-list-row')`, () =>
      page.keyboard.press('Control+Space'),
    );
    await page.keyboard.press('Escape');
    await page.locator('.suggest-widget .monaco-list-row').first().waitFor({ state: 'detached' });
    return time;
  });
}
