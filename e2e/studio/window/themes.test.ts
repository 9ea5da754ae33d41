import { expect } from 'vitest';
import { describeInBrowser, test } from '../journey.ts';
import { pollOptions } from '../pages/poll-options.ts';

describeInBrowser('a person who chooses how the window looks', () => {
  test('sees a theme as soon as an arrow reaches it, keeps it with Enter, and nothing of it with Escape', async ({
    journey: { page, workbench },
  }) => {
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const before = await background();
    const chosenOption = page.locator('[role=option][aria-selected=true]');
    const goToLight = async () => {
      await workbench.choose('Settings: Colour Theme');
      await workbench.results.first().waitFor();
      while ((await chosenOption.textContent())?.trim() !== 'Light') await page.keyboard.press('ArrowDown');
    };
    await goToLight();
    await expect.poll(background, pollOptions).not.toBe(before);
    await page.keyboard.press('Escape');
    await expect.poll(background, pollOptions).toBe(before);

    await goToLight();
    await expect.poll(background, pollOptions).not.toBe(before);
    const chosen = await background();
    await page.keyboard.press('Enter');
    await workbench.palette.waitFor({ state: 'detached' });
    await page.reload();
    await workbench.ready();
    await expect.poll(background, pollOptions).toBe(chosen);
  });
});
