import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The page of examples/accounts, as a person uses it. */
export class AccountPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** The items of a list by what is written first in them. */
  items(list: 'sessions' | 'passkeys' | 'identities' | 'codes'): Locator {
    return this.page.locator(`#${list} li`);
  }

  async enter(email: string, password: string, how: 'Sign in' | 'Register'): Promise<void> {
    await this.page.locator('#enter [name=email]').fill(email);
    await this.page.locator('#enter [name=password]').fill(password);
    await this.button(how).click();
  }

  async signOut(): Promise<void> {
    await this.button('Sign out').click();
    await this.expectSaid('Signed out.');
  }

  async addPasskey(name: string, password: string): Promise<void> {
    await this.page.locator('#add-passkey [name=name]').fill(name);
    await this.page.locator('#add-passkey [name=password]').fill(password);
    await this.button('Add a passkey').click();
  }

  /** Works, and gives the status and body of the answer to a request that this sent. */
  async answerOf(path: string, work: () => Promise<void>): Promise<readonly [number, unknown]> {
    const [response] = await Promise.all([
      this.page.waitForResponse((each) => new URL(each.url()).pathname === path),
      work(),
    ]);
    return [response.status(), await response.json()];
  }

  async expectSignedIn(email: string): Promise<void> {
    await this.page.getByRole('heading', { name: email }).waitFor();
  }

  async expectSaid(text: string): Promise<void> {
    await this.page.getByRole('status').getByText(text, { exact: true }).waitFor();
  }

  async expectExported(value: object): Promise<void> {
    const exported = this.page.locator('#exported');
    await exported.waitFor();
    expect(JSON.parse((await exported.textContent()) ?? '')).toEqual(value);
  }

  /** That assistive technology can use what is shown. */
  async expectInOrder(): Promise<void> {
    const { violations } = await new AxeBuilder({ page: this.page }).setLegacyMode().analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`)).toEqual([]);
  }

  /** To look at: in the folder that E2E_PICTURES names. */
  async picture(title: string): Promise<void> {
    const folder = process.env['E2E_PICTURES'];
    if (folder) await this.page.screenshot({ path: `${folder}/accounts-${title}.png`, fullPage: true });
  }
}
