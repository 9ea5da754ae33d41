import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import type { Journey } from '../opened.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

const order = { customer: 'Ada', item: 'Engine', quantity: 2, unit_price: 10 };
const wide =
  'input.quantity * input.unit_price * (1.0 + (input.rate ?? 0.2)) - (input.quantity > 5 ? 1.0 : 0.0) + input.unit_price';

/** The flow is open and paused before `total`, which may be another rule than the one of the example. */
async function paused({ workbench, page, service, directory }: Journey, rule?: string) {
  if (rule !== undefined) {
    const file = join(directory, 'flows/create-order.hcl');
    writeFileSync(file, readFileSync(file, 'utf8').replace('input.quantity * input.unit_price', rule));
  }
  const editor = await workbench.open('flows/create-order.hcl');
  if (rule !== undefined) await editor.expectText(rule.slice(0, 40));
  await editor.goBehind('    total ');
  await page.keyboard.press('F9');
  const own = new Debugger(page);
  await own.start();
  const answer = ask('POST', `${service}/orders`, order);
  await own.expectAt('create_order: transform, total');
  await page.locator('.reading .bracket.result').waitFor();
  return { editor, own, answer };
}

/** Which sides of the outer part an inner one is beyond, in words. */
async function beyond(inner: Locator, outer: Locator): Promise<readonly string[]> {
  const [own, room] = [await inner.boundingBox(), await outer.boundingBox()];
  if (own === null || room === null) return ['not shown'];
  return [
    own.x < room.x - 1 && 'left',
    own.y < room.y - 1 && 'top',
    own.x + own.width > room.x + room.width + 1 && 'right',
    own.y + own.height > room.y + room.height + 1 && 'bottom',
  ].filter((side) => side !== false);
}

describeInBrowser('what a person looks at', () => {
  test('is the paused rule with its whole reading, whatever room the editor has', { timeout: 0 }, async ({
    journey,
  }) => {
    const { page } = journey;
    const { own, answer, editor } = await paused(journey, wide);
    const result = page.locator('.reading .bracket.result > span');
    const line = editor.widget.locator('.paused-line').first();
    for (const size of [
      { width: 1440, height: 900 },
      { width: 1440, height: 520 },
      { width: 900, height: 640 },
    ]) {
      await page.setViewportSize(size);
      for (const part of [line, page.locator('.reading')])
        await expect
          .poll(async () => (await beyond(part, editor.widget)).filter((side) => side !== 'right'), pollOptions)
          .toEqual([]);
      await expect.poll(() => beyond(result, editor.widget), pollOptions).toEqual([]);
    }
    // The values of parts that are seen in part are in the part that is seen.
    await page.setViewportSize({ width: 1280, height: 800 });
    const product = page.locator('.reading .bracket > span', { hasText: /^24$/ }).first();
    await expect.poll(() => beyond(product, editor.widget), pollOptions).toEqual([]);
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });
    await own.expectState('Running');
  });

  test('is marked where a value was forced, and is not covered by plates', { timeout: 0 }, async ({ journey }) => {
    const { page } = journey;
    const { own, answer, editor } = await paused(journey);
    await own.variable('quantity: 2').first().dblclick();
    const field = page.getByRole('textbox', { name: /^New value/ });
    await field.fill('3');
    await field.press('Enter');
    const forced = page.locator('.reading .forced').filter({ has: page.locator('svg') });
    await expect.poll(() => forced.allTextContents(), pollOptions).toEqual(['3']);
    await own.step('F10', 'create_order: transform, status');
    await own.change('total: 30', '99');
    await editor.expectText(/total .*= 30.*forced, was 30/);
    const note = editor.widget.locator('.inline-note.forced').last();
    expect(await note.evaluate((element) => getComputedStyle(element, '::before').maskImage)).toContain('svg');
    // What is beside an expression has the ground of its line, the paused one too.
    const value = editor.widget.locator('.inline-result').first();
    expect(await value.evaluate((element) => getComputedStyle(element).borderLeftColor)).toBe('rgba(0, 0, 0, 0)');
    const [plate, beside] = [
      await editor.widget.locator('.expression-plate').first().boundingBox(),
      await value.boundingBox(),
    ];
    expect(plate!.x + plate!.width).toBeLessThanOrEqual(beside!.x + 1);
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });
  });

  test('is the rule before, a step back; what is dim says why', { timeout: 0 }, async ({ journey }) => {
    const { page } = journey;
    const tooltip = (name: string) =>
      page.getByRole('toolbar', { name: 'Debug' }).getByRole('button', { name, exact: true }).getAttribute('title');
    expect(await tooltip('Step Back')).toBe('Step Back (Ctrl F11): no thread is paused');
    expect(await tooltip('Restart from Stage')).toBe('Restart from Stage (Ctrl Shift F5): no thread is paused');
    const { own, answer } = await paused(journey);
    await own.step('F10', 'create_order: transform, status');
    await own.variable('total: 20').waitFor();
    await own.step('Control+F11', 'create_order: transform, total');
    await expect.poll(() => own.variable('total: 20').count(), pollOptions).toBe(0);
    await own.step('Control+F11', 'create_order: transform, unit_price');
    await own.stage('transform').first().getByText('begun again').waitFor();
    expect(await page.locator('.timeline .error').count()).toBe(0);
    await own.step('Control+Shift+F5', 'create_order: before transform');
    expect(await tooltip('Step Back')).toMatch(/^Step Back \(Ctrl F11\): it goes back between rules alone/);
    await page.keyboard.press('F5');
    await own.expectAt('create_order: transform, total');
    await page.keyboard.press('F5');
    expect(await answer).toEqual({ status: 201, body: { id: 1, href: '/orders/1' } });
  });

  test('is whole: tabs, suggestions, times, names and problems', { timeout: 0 }, async ({ journey }) => {
    const { page, workbench } = journey;
    for (const path of ['service.hcl', 'connectors.hcl', 'types.hcl', 'flows/list-orders.hcl', 'flows/fetch-order.hcl'])
      await workbench.open(path);
    const { own, answer, editor } = await paused(journey);
    const tabs = page.getByRole('tablist', { name: 'Open editors' });
    for (const path of ['flows/create-order.hcl', 'service.hcl']) {
      await workbench.open(path);
      const name = path.replace('flows/', '');
      for (const width of [1440, 900]) {
        await page.setViewportSize({ width, height: 800 });
        await expect.poll(() => beyond(workbench.tab(name), tabs), pollOptions).toEqual([]);
      }
    }
    const labels = page.locator('.timeline .axis .lane span');
    for (const width of [1440, 700]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => overlaps(labels), pollOptions).toBe(0);
    }
    await page.setViewportSize({ width: 1440, height: 900 });

    await own.prompt.pressSequentially('input.');
    const options = page.getByRole('option');
    await options.first().waitFor();
    const isOnTop = (option: Element) => {
      const { left, top, width, height } = option.getBoundingClientRect();
      return option.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    };
    await expect.poll(() => options.first().evaluate(isOnTop), pollOptions).toBe(true);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => options.last().evaluate(isOnTop), pollOptions).toBe(true);
    await page.keyboard.press('Escape');
    await own.prompt.fill('');

    await page.getByRole('button', { name: 'Find in variables' }).click();
    const search = page.getByRole('textbox', { name: 'Find in variables' });
    await search.fill('content-type');
    const found = page.getByRole('list', { name: 'Found' }).getByRole('button', { name: /content-type/ });
    const widths = (part: string) =>
      found.locator(part).evaluate((element) => ({ is: element.clientWidth, wants: element.scrollWidth }));
    const [key, value] = [await widths('.key'), await widths('.value')];
    expect(key.is, JSON.stringify({ key, value })).toBe(key.wants);
    // The whole value is in the tooltip.
    expect(value.is, JSON.stringify({ key, value })).toBeGreaterThan(80);
    await search.press('Escape');
    await expect.poll(() => search.count(), pollOptions).toBe(0);
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });

    await workbench.open('flows/create-order.hcl');
    await editor.goTo(3, 21);
    await page.keyboard.press('Delete');
    await workbench.expectProblems('1 error');
    await workbench.panelTab('Problems').click();
    const message = workbench.problems.nth(1).locator('.ellipsis').first();
    expect((await message.boundingBox())!.width).toBeGreaterThan(200);
  });

  test('has room in a narrow window', { timeout: 0 }, async ({ journey }) => {
    const { page } = journey;
    const { own, answer, editor } = await paused(journey);
    const whole = page.locator('.application');
    for (const width of [900, 600]) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(async () => (await editor.widget.boundingBox())!.width / width, pollOptions)
        .toBeGreaterThan(0.55);
      const parts = page.locator('.title > *:visible');
      await expect.poll(() => overlaps(parts), pollOptions).toBe(0);
      expect(await beyond(parts.last(), whole)).toEqual([]);
      expect(await beyond(page.getByRole('contentinfo').getByText(/^Ln/), whole)).toEqual([]);
      for (const region of ['Threads', 'Variables', 'Watch', 'Flows', 'Breakpoints'])
        expect(await beyond(page.getByRole('region', { name: region }), whole)).toEqual([]);
      await expect.poll(() => beyond(page.locator('.reading'), editor.widget), pollOptions).not.toContain('bottom');
    }
    expect(await own.lineOf('quantity')).toBe('quantity 2');
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });
  });
});

/** How many parts that are side by side cover a piece of the next. */
function overlaps(parts: Locator): Promise<number> {
  return parts.evaluateAll((all) => {
    const boxes = all.map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 1);
    return boxes.filter((box, index) => index > 0 && box.left < (boxes[index - 1] as DOMRect).right - 1).length;
  });
}
