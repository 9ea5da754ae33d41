import type { Locator, Page } from 'playwright-core';
import type { OpenedWindow } from '../opened.ts';
import { Debugger } from './debugger.ts';

/** The tab of a queue: what waits in it, what was given up, and the form of a test message. */
export class QueuePage {
  readonly publishing: Locator;
  readonly waiting: Locator;
  readonly letters: Locator;
  readonly stats: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.publishing = page.getByRole('region', { name: 'Publish' });
    this.waiting = page.getByRole('region', { name: 'Waiting messages' });
    this.letters = page.getByRole('region', { name: 'Dead letters' });
    this.stats = page.locator('dl.stats');
  }

  /** Starts the project of a window, with a gate that holds every message, and opens the tab of a connector. */
  static async open({ page, workbench }: OpenedWindow, connector: string): Promise<QueuePage> {
    await workbench.ready();
    await page.keyboard.press('F5');
    await page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
    await new Debugger(page).expectState('Running');
    await page.getByRole('button', { name: /^Queues/ }).click();
    const side = page.getByRole('complementary', { name: 'Queues' });
    await side.getByText('On demand', { exact: true }).click();
    await side.getByRole('button', { name: new RegExp(`\\b${connector}, `) }).click();
    return new QueuePage(page);
  }

  async peek(): Promise<void> {
    await this.#page.getByRole('button', { name: 'Peek 20' }).click();
  }

  async filter(condition: string): Promise<void> {
    const box = this.letters.getByRole('textbox', { name: 'Only messages where' });
    await box.fill(condition);
    await box.press('Enter');
  }

  /** The dialog that asks before it does what a title says. */
  asked(title: string): Locator {
    return this.#page.getByRole('dialog', { name: `${title}?` });
  }
}
