// Takes the picture of the README, docs/pictures/studio-debug.png: the studio with a flow stopped before a rule.
// node scripts/build.mjs && TEST_BROWSER_URL=http://127.0.0.1:9333 node e2e/studio/readme-picture.ts
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../test/support/service.ts';
import { ask, copyExample } from '../example.ts';
import { openWindow } from './opened.ts';
import { Debugger } from './pages/debugger.ts';

const { directory: copy, remove } = copyExample('orders');
// The studio shows the name of the folder.
const directory = join(copy, 'orders');
mkdirSync(directory);
for (const name of readdirSync(copy)) if (name !== 'orders') renameSync(join(copy, name), join(directory, name));
await runCommand(['migrate', '-c', directory]);
const window = await openWindow({ directory, theme: 'dark', viewport: { width: 1440, height: 900 } });
try {
  const { page, workbench, service } = window;
  await workbench.ready();
  const editor = await workbench.open('flows/create-order.hcl');
  await editor.goTo(18, 5);
  await page.keyboard.press('F9');
  const stopped = new Debugger(page);
  await stopped.start();
  const order = {
    customer: ' Ada ',
    email: 'Ada@example.org',
    item: 'Analytical engine',
    quantity: 2,
    unit_price: 907.5,
  };
  const answer = ask('POST', `${service}/orders`, order);
  await stopped.expectAt('create_order: transform, total');
  await stopped
    .variable(/^customer/)
    .nth(1)
    .waitFor();
  await stopped.prompt.fill('input.quantity > 1 && output.customer == "Ada"');
  await stopped.prompt.press('Enter');
  await stopped.console.getByText('true', { exact: true }).waitFor();
  await page.screenshot({ path: join(import.meta.dirname, '../../docs/pictures/studio-debug.png') });
  await page.keyboard.press('F5');
  await answer;
} finally {
  await window.close();
  remove();
}
process.exit(0);
