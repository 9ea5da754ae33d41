import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { pollOptions } from './poll-options.ts';

/** One text in the editor. */
export class TextEditor {
  readonly page: Page;
  readonly path: string;
  readonly input: Locator;
  /** The whole widget, with lines, squiggles and glyphs. */
  readonly widget: Locator;

  constructor(page: Page, path: string) {
    this.page = page;
    this.path = path;
    this.input = page.getByRole('textbox', { name: path, exact: true });
    this.widget = page.locator('.text-editor').filter({ has: this.input });
  }

  /** Puts the caret there, by the keyboard; line and column count from 1. */
  async goTo(line: number, column = 1): Promise<void> {
    await this.input.focus();
    await this.page.keyboard.press('Control+g');
    const palette = this.page.getByRole('dialog', { name: 'Go to, search, run' });
    await palette.getByRole('combobox').fill(`:${line}:${column}`);
    await palette.getByRole('option').first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.getByRole('contentinfo').getByText(`Ln ${line}, Col ${column}`, { exact: true }).waitFor();
  }

  /** Puts the caret behind the n-th place of a text. */
  async goBehind(text: string, which = 0): Promise<void> {
    const { line, column } = await this.placeOf(text, which);
    await this.goTo(line, column + text.length);
  }

  /** Selects a line without its end. */
  async selectLine(line: number): Promise<void> {
    await this.goTo(line);
    await this.page.keyboard.press('Shift+End');
    await expect.poll(() => this.widget.locator('.selected-text').count(), pollOptions).toBeGreaterThan(0);
  }

  /** Where the n-th occurrence begins in what is shown, from 1. */
  async placeOf(text: string, which = 0): Promise<{ readonly line: number; readonly column: number }> {
    const lines = (await this.text()).split('\n');
    const places = lines.flatMap((content, index) =>
      content
        .split(text)
        .slice(0, -1)
        .map((_, nth, parts) => ({
          line: index + 1,
          column: parts.slice(0, nth + 1).join(text).length + 1,
        })),
    );
    const place = places[which];
    if (place === undefined) throw new Error(`"${text}" is not in ${this.path}:\n${lines.join('\n')}`);
    return place;
  }

  /** The lines that are shown; files of these tests are shorter than the window. */
  async text(): Promise<string> {
    await this.widget.locator('.view-line').first().waitFor({ state: 'attached' });
    const lines: string[] = await this.widget.locator('.view-lines .view-line').evaluateAll((all) =>
      all
        .map((line) => ({ top: Number.parseInt(line.style.top, 10), text: line.textContent ?? '' }))
        .sort((a, b) => a.top - b.top)
        .map(({ text }) => text),
    );
    return lines.join('\n').replaceAll('\u00a0', ' ').replaceAll('\u200c', '');
  }

  async expectText(text: string | RegExp): Promise<void> {
    const poll = expect.poll(() => this.text(), pollOptions);
    await (typeof text === 'string' ? poll.toContain(text) : poll.toMatch(text));
  }

  /** Lets the pointer rest on the n-th place of a text, such as a word. */
  async point(text: string, which = 0): Promise<void> {
    await this.widget
      .locator('.view-line span')
      .filter({ hasText: new RegExp(`^${text}$`) })
      .nth(which)
      .hover();
  }

  /** What is said about the n-th place of a text, of its last letter, as the keyboard asks for it. */
  async expectHover(text: string, said: RegExp): Promise<void> {
    await this.goBehind(text);
    await this.page.keyboard.press('ArrowLeft');
    await this.page.keyboard.press('Control+k');
    await this.page.keyboard.press('Control+i');
    await expect
      .poll(async () => (await this.page.locator('.monaco-hover').allInnerTexts()).join('\n'), pollOptions)
      .toMatch(said);
    await this.page.keyboard.press('Escape');
  }

  squiggles(severity: 'error' | 'warning'): Locator {
    return this.widget.locator(`.squiggly-${severity}`);
  }

  /** The list of suggestions. */
  get suggestions(): Locator {
    return this.page.locator('.suggest-widget').getByRole('option');
  }
}
