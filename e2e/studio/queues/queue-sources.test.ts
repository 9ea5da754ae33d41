import { rmSync } from 'node:fs';
import { expect } from 'vitest';
import { type PulledPlace, pulledSources } from '../../../test/scenarios/manual-consume/pulled-sources.ts';
import { folderWith } from '../../../test/support/folder.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

const service = `service {
  name       = "worker"
  admin_port = env("ADMIN_PORT")
}
`;

/** A connector, and a flow of its name that takes its messages. */
const files = (name: string, { connector }: PulledPlace) => ({
  [`${name}-connector.hcl`]: connector.replace('connector "orders"', `connector "${name}"`),
  [`${name}.hcl`]: `flow "keep_${name}" {
  from {
    connector = "${name}"
  }
  transform {
    n     = "input.body.n"
    twice = "output.n * 2"
  }
  response {
    done = "true"
  }
}
`,
});

describeInBrowser('messages of every source that can be pulled', () => {
  test('stop at a rule, are stepped through, and are acknowledged after they continued', async ({ open }) => {
    const here = pulledSources.filter(({ isHere }) => isHere);
    const places = new Map<string, PulledPlace>();
    for (const { place: makePlace } of here) {
      const place = await makePlace();
      await place.publish([20, 21]);
      places.set(place.type, place);
    }
    const written = [...places].map(([name, place]) => files(name, place));
    const directory = folderWith(Object.assign({ 'service.hcl': service }, ...written) as Record<string, string>);
    const window = await open({ directory });
    const { page, workbench } = window;
    await workbench.ready();
    for (const name of places.keys()) {
      const editor = await workbench.open(`${name}.hcl`);
      await editor.goBehind('    twice ');
      await page.keyboard.press('F9');
    }
    const own = new Debugger(page);
    await page.keyboard.press('F5');
    await page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
    await own.expectState('Running');
    await page.getByRole('button', { name: /^Queues/ }).click();
    const side = page.getByRole('complementary', { name: 'Queues' });
    const underWay = page.getByRole('region', { name: 'Message under way' });
    for (const [name, place] of places) {
      await side.getByRole('button', { name: new RegExp(`${name}, ${place.type}`) }).click();
      await page.getByRole('button', { name: 'Pull one' }).click();
      await own.expectAt(`keep_${name}: transform, twice`);
      await own.step('F10', `keep_${name}: before response`);
      await own
        .variable(/^twice/)
        .filter({ hasText: '40' })
        .waitFor();
      await workbench.tab(place.source).click();
      await underWay.getByText(/^You hold .*, unacked for \d+ s; 1 wait behind it$/).waitFor();
      expect(await place.acknowledged()).toBe(0);
      await picture(`${name}-held`);
      await page.keyboard.press('F5');
      await underWay.waitFor({ state: 'detached' });
      await page.getByRole('region', { name: 'Taken messages' }).getByText('acknowledged').first().waitFor();
      await expect.poll(() => place.acknowledged(), pollOptions).toBe(1);
      await picture(`${name}-done`);
    }
    await window.close();
    for (const place of places.values()) await place.close();
    rmSync(directory, { recursive: true, force: true });

    async function picture(title: string): Promise<void> {
      if (process.env['E2E_PICTURES']) await page.screenshot({ path: `${process.env['E2E_PICTURES']}/${title}.png` });
    }
  });
});
