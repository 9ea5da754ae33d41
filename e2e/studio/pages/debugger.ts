import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { pollOptions } from './poll-options.ts';

/** The parts of the window that debug. */
export class Debugger {
  readonly page: Page;
  readonly toolbar: Locator;
  readonly threads: Locator;
  readonly variables: Locator;
  readonly console: Locator;
  readonly prompt: Locator;

  constructor(page: Page) {
    this.page = page;
    this.toolbar = page.getByRole('toolbar', { name: 'Debug' });
    this.threads = page.getByRole('region', { name: 'Threads' }).locator('.thread');
    this.variables = page.getByRole('tree', { name: 'Variables' });
    this.console = page.getByRole('log', { name: 'Debug console' });
    this.prompt = page.getByRole('combobox', { name: 'Evaluate an expression' });
  }

  /** Starts the service with F5 and trusts the folder when that is asked. */
  async start(): Promise<void> {
    await this.page.keyboard.press('F5');
    await this.page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
    await this.expectState('Running');
    await this.page.getByRole('button', { name: /^Service: Running :\d+$/ }).waitFor();
  }

  async expectState(text: 'Not attached' | 'Running' | 'Paused'): Promise<void> {
    await this.toolbar.getByText(text, { exact: true }).waitFor();
  }

  /** The place where it is suspended: `transform, total`. */
  async expectAt(place: string): Promise<void> {
    await this.page.getByRole('contentinfo').getByText(place, { exact: true }).waitFor();
  }

  /** Presses F10 or another key and waits for the next place. */
  async step(key: string, place: string): Promise<void> {
    await this.page.keyboard.press(key);
    await this.expectAt(place);
  }

  variable(line: string | RegExp): Locator {
    return this.variables.getByRole('treeitem', { name: line });
  }

  /** Evaluates in the thread in focus; the answer is the last line of the console. */
  async evaluate(expression: string): Promise<string> {
    const before = await this.lines.count();
    await this.prompt.fill(expression);
    await this.prompt.press('Enter');
    await expect.poll(() => this.lines.count(), pollOptions).toBe(before + 2);
    return (await this.lines.last().textContent()) ?? '';
  }

  /** Watches an expression; its line, with what it gives. */
  async watch(expression: string): Promise<string> {
    await this.page.getByRole('button', { name: 'Add expression' }).click();
    await this.page.getByRole('textbox', { name: 'Watched expression' }).fill(expression);
    await this.page.keyboard.press('Enter');
    const line = this.page.getByRole('list', { name: 'Watched expressions' }).locator('.data-row').last();
    await line.locator('.value').waitFor();
    return (await line.textContent()) ?? '';
  }

  get lines(): Locator {
    return this.console.locator('.console-line');
  }

  /** Chooses what is to be done with the run that is shown. */
  async chooseForRun(title: string): Promise<void> {
    await this.page.getByRole('button', { name: /^What can be done with run \d+$/ }).click();
    await this.page.getByRole('menuitem', { name: title }).click();
  }

  /** A stage of the timeline. */
  stage(name: string): Locator {
    return this.page
      .getByRole('list', { name: /^Stages of/ })
      .getByRole('listitem')
      .filter({ hasText: name });
  }

  /** Breakpoints as they are listed, by what is said of them. */
  breakpoints(): Locator {
    return this.page.getByRole('list', { name: 'Breakpoints' }).getByRole('listitem');
  }

  /** Opens what a breakpoint waits for, fills it in and keeps it. */
  async edit(title: string, fields: Readonly<Record<string, string>>): Promise<void> {
    const row = this.breakpoints().filter({ hasText: title });
    await row.hover();
    await row.getByRole('button', { name: `Edit breakpoint ${title}` }).click();
    const form = this.page.getByRole('dialog');
    for (const [label, text] of Object.entries(fields))
      await form.getByLabel(label).and(form.locator('input')).fill(text);
    await form.getByRole('button', { name: 'Set breakpoint' }).click();
    await form.waitFor({ state: 'detached' });
  }

  /** What is drawn under the rule: values of its parts, and what it would give. */
  async reading(): Promise<readonly string[]> {
    const texts = await this.page.locator('.reading .bracket').allTextContents();
    return texts.map((text) => text.trim());
  }

  /** A line of the variables by what it begins with, blanks made single. */
  async lineOf(start: string): Promise<string> {
    const [line] = await this.variables.getByRole('treeitem', { name: new RegExp(`^${start}`) }).allInnerTexts();
    return (line ?? '').replaceAll(/\s+/g, ' ').trim();
  }

  /** Writes another value in place of one. */
  async change(line: string, value: string): Promise<void> {
    await this.variable(line).dblclick();
    const field = this.page.getByRole('textbox', { name: /^New value/ });
    await field.fill(value);
    await field.press('Enter');
  }
}
