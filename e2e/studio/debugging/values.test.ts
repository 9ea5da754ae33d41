import { expect } from 'vitest';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';

const order = { customer: ' Ada ', item: 'Engine', quantity: 2, unit_price: 10 };

describeInBrowser('a person who looks at values in the text', () => {
  test('reads under the pointer what a stop and an earlier run have', async ({ journey }) => {
    const { workbench, page, service } = journey;
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goBehind('    total ');
    await page.keyboard.press('F9');
    const own = new Debugger(page);
    await own.start();
    const answer = ask('POST', `${service}/orders`, order);
    await own.expectAt('create_order: transform, total');
    await editor.expectHover('"input.quantity', /2\s*input\.quantity, \w+, in create_order #1/);
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });
    await own.expectState('Running');
    await editor.expectHover(
      'trim(input.customer',
      /" Ada "\s*input\.customer, string, in create_order #1, as it ended/,
    );
  });

  test('is shown where a thread is that is at a stage without a text', async ({ journey }) => {
    const { workbench, page, service } = journey;
    const editor = await workbench.open('flows/list-orders.hcl');
    const own = new Debugger(page);
    await own.start();
    await page.keyboard.press('Control+F6');
    await workbench.expectSaid(/^What runs is paused at its next step/);
    const answer = ask('POST', `${service}/orders`, order);
    await own.expectState('Paused');
    await own.step('F10', 'create_order: before sanitize');
    await workbench.tab('create-order.hcl').waitFor();
    await editor.page
      .locator('.inline-note.paused')
      .getByText('paused before sanitize, which is not written')
      .waitFor();
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });
  });
});
