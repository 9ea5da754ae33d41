import type { Locator, Page } from 'playwright-core';

/** The picture of the project. */
export class CanvasPage {
  readonly page: Page;
  readonly view: Locator;

  constructor(page: Page) {
    this.page = page;
    this.view = page.getByRole('application', { name: /^Canvas of/ });
  }

  async ready(): Promise<void> {
    await this.view.locator('.react-flow__node').first().waitFor();
  }

  /** Gives the keys to the canvas. */
  async focus(): Promise<void> {
    await this.view.focus();
  }

  /** An open flow. */
  card(flow: string): Locator {
    return this.view.locator('.open-flow').filter({ has: this.page.locator(`header[data-place$=" ${flow}"]`) });
  }

  /** Opens a flow that is closed. */
  async openFlow(flow: string): Promise<void> {
    const pill = this.view.locator(`.flow-node[data-place$=" ${flow}"]`);
    if (await pill.isVisible()) await pill.dblclick();
    await this.card(flow).waitFor();
  }

  stage(flow: string, title: string): Locator {
    return this.card(flow)
      .locator('.stage')
      .filter({ has: this.page.locator('b').getByText(title, { exact: true }) });
  }

  /** Each lane with the titles of its stages: `Gate: from, validate`. */
  async lanesOf(flow: string): Promise<readonly string[]> {
    const lanes = await this.card(flow).locator('.lane').all();
    return Promise.all(
      lanes.map(async (lane) => {
        const head = await lane.locator('.lane-head').innerText();
        return `${head.trim()}: ${(await lane.locator('.stage b').allInnerTexts()).join(', ')}`;
      }),
    );
  }

  /** What is drawn, by what is said of it. */
  async nodes(): Promise<readonly string[]> {
    const nodes = await this.view.locator('.react-flow__node').all();
    return Promise.all(nodes.map(async (node) => (await node.getAttribute('aria-label')) ?? ''));
  }

  /** The line in the card that is gold, where there is one. */
  async gold(flow: string): Promise<string> {
    const line = this.card(flow).locator('.came-by');
    await line.waitFor({ state: 'attached' });
    return (await line.getAttribute('d')) ?? '';
  }

  /** Whether all of something is inside of the view. */
  async isInSight(of: Locator): Promise<boolean> {
    const [box, view] = [await of.boundingBox(), await this.view.boundingBox()];
    if (box === null || view === null) return false;
    return (
      box.x >= view.x &&
      box.y >= view.y &&
      box.x + box.width <= view.x + view.width &&
      box.y + box.height <= view.y + view.height
    );
  }

  /** Nodes that the minimap covers. */
  async coveredByMinimap(): Promise<readonly string[]> {
    const map = this.view.locator('.minimap');
    if (!(await map.isVisible())) return [];
    const box = await map.boundingBox();
    const covered: string[] = [];
    for (const node of await this.view.locator('.react-flow__node').all()) {
      const own = await node.boundingBox();
      if (own === null || box === null) continue;
      const isApart =
        own.x >= box.x + box.width ||
        box.x >= own.x + own.width ||
        own.y >= box.y + box.height ||
        box.y >= own.y + own.height;
      if (!isApart) covered.push((await node.getAttribute('aria-label')) ?? '');
    }
    return covered;
  }
}
