// Takes a picture of every view in the four themes at three widths, for people who compare them with the design:
// TEST_BROWSER_URL=http://127.0.0.1:9333 node e2e/studio/pictures.ts FOLDER [THEME-WIDTH, such as hc-dark-900]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../test/support/service.ts';
import { ask, copyExample } from '../example.ts';
import { type Journey, openWindow } from './opened.ts';
import { Debugger } from './pages/debugger.ts';
import { views } from './pages/views.ts';
import { themes } from './pages/workbench.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('name the folder for the pictures');
mkdirSync(folder, { recursive: true });

const sizes = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 900, height: 800 },
];
const [, , , only] = process.argv;
for (const theme of themes)
  for (const viewport of sizes) {
    const name = `${theme}-${viewport.width}`;
    if (only !== undefined && only !== name) continue;
    const { directory, remove } = copyExample('orders');
    await runCommand(['migrate', '-c', directory]);
    const window = await openWindow({ directory, viewport });
    await window.workbench.ready();
    await window.workbench.choosesTheme(theme);
    await takeAll({ ...window, directory }, name);
    await window.close();
    remove();
  }
process.exit(0);

async function takeAll(journey: Journey, name: string): Promise<void> {
  const { page, workbench, service } = journey;
  const take = (view: string) => page.screenshot({ path: join(folder as string, `${name}-${view}.png`) });
  for (const { name: view, show, leave } of views) {
    await show(journey);
    await take(view.toLowerCase().replaceAll(' ', '-'));
    await leave?.(journey);
  }
  const editor = await workbench.open('flows/create-order.hcl');
  await editor.goTo(18, 5);
  await page.keyboard.press('F9');
  const own = new Debugger(page);
  await own.start();
  const answer = ask('POST', `${service}/orders`, { customer: 'Ada', item: 'Engine', quantity: 2, unit_price: 10 });
  await own.expectAt('create_order: transform, total');
  await own
    .variable(/^customer/)
    .nth(1)
    .waitFor();
  await take('paused');
  await page.getByRole('button', { name: 'Split' }).click();
  await page.getByRole('application', { name: /^Canvas of/ }).waitFor();
  await take('paused-canvas');
  await page.keyboard.press('F5');
  await answer;
  await takeRuns(journey, take);
}

/** What a run that did not stop is seen of: one that ended, one that failed, and the list of all. */
async function takeRuns(
  { page, workbench, service, directory }: Journey,
  take: (view: string) => Promise<unknown>,
): Promise<void> {
  const own = new Debugger(page);
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await workbench.run('Debug: Remove All Breakpoints');
  await ask('POST', `${service}/orders`, { customer: 'Ada', item: 'Engine', quantity: 3, unit_price: 10 });
  await own.variable('total: 30').waitFor();
  await take('run-ended');
  await page.getByRole('button', { name: 'Kinds of failures' }).click();
  await workbench.panelTab('Runs').click();
  await take('runs');
  const file = join(directory, 'flows/create-order.hcl');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"input.quantity * input.unit_price"', '"int(input.item)"'));
  await page
    .getByText(/int\(input\.item\)/)
    .first()
    .waitFor();
  await workbench.panelTab('Timeline').click();
  await take('sample');
  const isFailing = async () =>
    (await ask('POST', `${service}/orders`, { customer: 'Ada', item: 'Engine', quantity: 3, unit_price: 10 }))
      .status === 500;
  while (!(await isFailing()));
  await page.locator('.failure').first().waitFor();
  await take('run-failed');
  await page.getByRole('button', { name: 'Split' }).click();
  await page.locator('.open-flow.failed, .flow-node.failed').first().waitFor();
  await take('run-failed-canvas');
}
