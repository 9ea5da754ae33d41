import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { pollOptions } from './poll-options.ts';
import { TextEditor } from './text-editor.ts';

/** The four looks of the window. */
export const themes = ['dark', 'light', 'hc-dark', 'hc-light'] as const;
export type Theme = (typeof themes)[number];

/** The window as a person knows it: parts by their role and name. */
export class Workbench {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The folder was read and checked. */
  async ready(): Promise<void> {
    await this.page.getByText('Language service ready').waitFor();
    await this.file('service.hcl').waitFor();
  }

  /** Opens a file through the palette and waits for its text. */
  async open(path: string): Promise<TextEditor> {
    await this.page.keyboard.press('Control+p');
    await this.palette.fill(path);
    const [name] = path.split('/').slice(-1) as [string];
    await this.page.getByRole('option', { name }).first().waitFor();
    await this.page.keyboard.press('Enter');
    const editor = new TextEditor(this.page, path);
    await editor.input.waitFor({ state: 'attached' });
    await editor.text();
    return editor;
  }

  /** Runs a command by its title, through the palette. */
  async run(title: string): Promise<void> {
    await this.choose(title);
    await this.palette.waitFor({ state: 'detached' });
  }

  /** Runs a command that asks something in the palette again. */
  async choose(title: string): Promise<void> {
    await this.page.keyboard.press('Control+Shift+p');
    await this.palette.fill(`>${title}`);
    await this.page.getByRole('option', { name: title }).first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  get palette(): Locator {
    return this.page.getByRole('dialog', { name: 'Go to, search, run' }).getByRole('combobox');
  }

  get results(): Locator {
    return this.page.getByRole('dialog', { name: 'Go to, search, run' }).getByRole('option');
  }

  /** A row of the explorer. */
  file(name: string): Locator {
    return this.page.getByRole('tree', { name: 'Files' }).getByRole('treeitem', { name });
  }

  /** Rows of the explorer whose text is not saved. */
  unsaved(name = ''): Locator {
    return this.file(name).filter({ hasText: 'not saved' });
  }

  /** What is said to those who listen. */
  async expectSaid(text: string | RegExp): Promise<void> {
    await expect
      .poll(() => this.page.getByRole('status').filter({ hasText: text }).count(), pollOptions)
      .toBeGreaterThan(0);
  }

  /** A tab of the editor area. */
  tab(name: string): Locator {
    return this.page.getByRole('tablist', { name: 'Open editors' }).getByRole('tab', { name });
  }

  /** Names of all tabs, those of unsaved text with `, not saved`. */
  async tabs(): Promise<string[]> {
    return (await this.tab('').allTextContents()).map((name) => name.trim());
  }

  /** A tab of the panel below the editor. */
  panelTab(name: string): Locator {
    return this.page.getByRole('tablist', { name: 'Panel' }).getByRole('tab', { name });
  }

  get problems(): Locator {
    return this.page.getByRole('tree', { name: 'Problems' }).getByRole('treeitem');
  }

  /** What the status bar says about problems, in words. */
  async expectProblems(words: string): Promise<void> {
    await this.page.getByTitle(`Problems: ${words}`, { exact: true }).waitFor();
  }

  notice(text: string | RegExp): Locator {
    return this.page.getByRole('log', { name: 'Notices' }).getByText(text);
  }

  /** Chooses a theme by the palette. */
  async choosesTheme(theme: Theme): Promise<void> {
    await this.choose('Settings: Colour Theme');
    const names = { dark: 'Dark', light: 'Light', 'hc-dark': 'High contrast dark', 'hc-light': 'High contrast light' };
    const field = this.page.getByRole('combobox', { name: 'Colour theme' });
    await field.fill(names[theme]);
    await this.page.getByRole('option', { name: names[theme], exact: true }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.palette.waitFor({ state: 'detached' });
    await this.expectTheme(theme);
  }

  get theme(): Promise<string | null> {
    return this.page.locator('html').getAttribute('data-theme');
  }

  async expectTheme(theme: string): Promise<void> {
    await this.page.locator(`html[data-theme="${theme}"]`).waitFor({ state: 'attached' });
  }
}
