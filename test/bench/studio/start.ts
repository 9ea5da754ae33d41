import type { StudioWindow } from '../../support/studio-window.ts';
import { print, repeated } from './figures.ts';

const runs = 30;
/** Loads after which a browser has the compiled scripts at hand. */
const warmUps = 4;

const marks = {
  shell: '[role=tree][aria-label=Files] [role=treeitem]',
  editor: '.monaco-editor .view-line span span',
} as const;

const mapped = { shell: marks.shell, map: '.canvas .react-flow__node' } as const;

/** From the address to what can be used, with everything cached, beside an empty page. */
export async function measureStart({ page, context, address }: StudioWindow, empty: string): Promise<void> {
  const { origin } = new URL(address);
  await page.getByRole('treeitem', { name: 'service.hcl' }).click();
  await page.locator(marks.editor).first().waitFor();
  // The session, with the open tab, is kept half a second after its last change.
  await page.waitForTimeout(1_000);
  await page.goto('about:blank');
  const load = loading(context);
  await repeated(warmUps, () => load(origin, marks));
  const all = await repeated(runs, async () => ({
    ours: await load(origin, marks),
    theirs: await load(empty, { page: '#root' }),
  }));
  const beside = ['an empty page', all.map(({ theirs }) => theirs['page'] as number)] as const;
  print(
    'address to files on screen',
    all.map(({ ours }) => ours['shell'] as number),
    'none',
    beside,
  );
  print(
    'address to the text in an editor that takes keys',
    all.map(({ ours }) => ours['editor'] as number),
    '1000 ms',
    beside,
  );
}

/** From the address to the first paint of a project of 300 flows, and to its map. */
export async function measureLargeStart({ page, context, address }: StudioWindow, empty: string): Promise<void> {
  const { origin } = new URL(address);
  await page.locator(mapped.map).first().waitFor();
  await page.goto('about:blank');
  const load = loading(context);
  await repeated(warmUps, () => load(origin, mapped));
  const all = await repeated(runs, async () => ({
    ours: await load(origin, mapped),
    theirs: await load(empty, { page: '#root' }),
  }));
  const beside = ['an empty page', all.map(({ theirs }) => theirs['page'] as number)] as const;
  const ours = (name: string) => all.map((each) => each.ours[name] as number);
  print('300 flows, address to the first paint', ours('first'), '1500 ms', beside);
  print('300 flows, address to the files on screen', ours('shell'), '1500 ms', beside);
  print('300 flows, address to the map', ours('map'), '1500 ms', beside);
}

/** Loads pages, and gives the milliseconds until each selector finds something that is painted. */
function loading(context: StudioWindow['context']) {
  return async (
    url: string,
    selectors: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, number>>> => {
    const opened = await context.newPage();
    await opened.addInitScript(
      `probe.marks = Promise.all(${JSON.stringify(Object.values(selectors))}.map((each) => probe.sinceNavigation(each)));`,
    );
    await opened.goto(url, { waitUntil: 'commit' });
    const times = await opened.evaluate<number[]>('probe.marks');
    if ('editor' in selectors) await takesKey(opened);
    const first = await opened.evaluate<number>(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0",
    );
    await opened.close();
    return {
      first,
      ...Object.fromEntries(Object.keys(selectors).map((name, index) => [name, times[index] as number])),
    };
  };
}

async function takesKey(page: StudioWindow['page']): Promise<void> {
  await page.locator('.view-line').first().click();
  await page.keyboard.type('#');
  await page.locator('.view-line', { hasText: '#' }).first().waitFor();
  await page.keyboard.press('Backspace');
}
