import { expect } from 'vitest';
import { runCommand } from '../../../test/support/service.ts';
import { ask, copyExample } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { CanvasPage } from '../pages/canvas.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

const order = { customer: ' Ada ', item: 'Engine', quantity: 2, unit_price: 10 };

describeInBrowser('a person who debugs on the canvas', () => {
  test('sees the flow open where it stopped, and gold move with each step', async ({ journey }) => {
    const { workbench, page, service } = journey;
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goTo(18, 5);
    await page.keyboard.press('F9');
    const own = new Debugger(page);
    await own.start();
    await page.keyboard.press('Control+Alt+c');
    const canvas = new CanvasPage(page);
    await canvas.ready();
    const answer = ask('POST', `${service}/orders`, order);
    await own.expectAt('create_order: transform, total');
    const card = canvas.card('create_order');
    await card.and(page.locator('.paused')).waitFor();
    expect(await canvas.lanesOf('create_order')).toEqual([
      'Gate: from, validate',
      'Gather: ',
      'Shape: transform',
      'Deliver: to db, response, after',
    ]);
    await card.locator('.rule.at').getByText('total', { exact: true }).waitFor();
    await own.variable('customer: "Ada"').waitFor();
    await expect.poll(() => canvas.isInSight(card.locator('.rule.at')), pollOptions).toBe(true);
    const before = await canvas.gold('create_order');
    await own.step('F10', 'create_order: transform, status');
    await own.step('F10', 'create_order: transform, created_at');
    await page.keyboard.press('F10');
    await card.locator('.stage.at').getByText('to db').waitFor();
    expect(await canvas.gold('create_order')).not.toBe(before);
    await canvas.stage('create_order', 'validate').click();
    await page.getByRole('complementary').getByText('Properties', { exact: true }).waitFor();
    await own.variable('customer: "Ada"').waitFor();
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });
    await card.and(page.locator('.paused')).waitFor({ state: 'detached' });
  });

  test('sees this flow alone beside its text at 90 %, what is selected in sight, and all of it when asked', async ({
    journey,
  }) => {
    const { workbench, page } = journey;
    const editor = await workbench.open('flows/create-order.hcl');
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    const canvas = new CanvasPage(page);
    await canvas.ready();
    await canvas.card('create_order').waitFor();
    expect(await canvas.nodes()).toEqual(['connector api', 'flow create_order', 'connector db', 'connector cache']);
    const percent = page.locator('.zoom .percent');
    expect(await percent.textContent()).toBe('90%');
    await editor.goTo(24, 5);
    await expect.poll(() => canvas.isInSight(canvas.stage('create_order', 'to db')), pollOptions).toBe(true);
    expect(await percent.textContent()).toBe('90%');
    await page.getByRole('button', { name: /^Fit/ }).click();
    for (const node of await page.locator('.react-flow__node').all())
      await expect.poll(() => canvas.isInSight(node), pollOptions).toBe(true);
    await workbench.open('flows/list-orders.hcl');
    await canvas.card('list_orders').waitFor();
    await canvas.card('create_order').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Canvas', exact: true }).click();
    await expect.poll(async () => (await canvas.nodes()).length, pollOptions).toBeGreaterThan(5);
  });

  test('sees which step of a saga failed, and what was undone', async ({ open }) => {
    const { directory, remove } = copyExample('sagas');
    for (const connector of ['vans', 'accounts'])
      expect(await runCommand(['migrate', '-c', directory, '--connector', connector])).toMatchObject({ code: 0 });
    const { workbench, page, service } = await open({ directory });
    await workbench.ready();
    const own = new Debugger(page);
    await workbench.open('rent-van.hcl');
    await own.start();
    const body = { van_id: 2, customer: 'grace', deposit: 100, mileage: 20_000 };
    expect(await ask('POST', `${service}/rentals`, body)).toMatchObject({
      status: 500,
      body: { status: 'compensated' },
    });
    await page.keyboard.press('Control+Alt+c');
    const canvas = new CanvasPage(page);
    await canvas.ready();
    await canvas.openFlow('rent_van');
    expect(await canvas.lanesOf('rent_van')).toEqual([
      'Gate: from',
      'Gather: hold, deposit, note, hand_out',
      'Shape: ',
      'Deliver: on_complete, hold, deposit, on_failure',
    ]);
    await canvas.card('rent_van').locator('.stage.failed').getByText('deposit').waitFor();
    expect(await canvas.card('rent_van').locator('.stage.failed').count()).toBe(1);
    expect(await canvas.card('rent_van').locator('.undo-line').count()).toBe(2);
    expect(await canvas.card('rent_van').locator('.stage.undo').filter({ hasText: ' ms' }).count()).toBe(1);
    remove();
  });

  test('finds no node under the minimap', async ({ journey }) => {
    const { page } = journey;
    await page.keyboard.press('Control+Alt+c');
    const canvas = new CanvasPage(page);
    await canvas.ready();
    await canvas.focus();
    for (const key of ['+', '+', '+', '0', '-', '-']) {
      await page.keyboard.press(key);
      await expect.poll(() => canvas.coveredByMinimap(), pollOptions).toEqual([]);
    }
  });
});
