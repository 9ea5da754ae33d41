import { rmSync } from 'node:fs';
import { type KeptPlace, keptSources } from '../../../test/scenarios/queue-command/places.ts';
import { folderWith } from '../../../test/support/folder.ts';
import { runCommand } from '../../../test/support/service.ts';
import { test } from '../journey.ts';
import type { OpenedWindow } from '../opened.ts';
import { QueuePage } from '../pages/queue-page.ts';

/** What a journey through kept messages is given. */
export interface KeptJourney {
  readonly place: KeptPlace;
  readonly page: OpenedWindow['page'];
  readonly queue: QueuePage;
  /** What waits and what was given up, as another program sees it: the contents, and the counts of replays. */
  readonly kept: () => Promise<{ readonly waiting: readonly Kept[]; readonly dead: readonly Kept[] }>;
  readonly picture: (name: string) => Promise<void>;
}

/** The body of a message, and how often it was sent back, `undefined` when it never was. */
export type Kept = readonly [body: unknown, replays?: string];

/** One journey for every broker that keeps messages, with a flow of the connector `orders`. */
export function journeyOfEach(title: string, flow: string, journey: (given: KeptJourney) => Promise<void>): void {
  for (const { name, isHere, place: makePlace } of keptSources) {
    if (!isHere) console.warn(`SKIP  ${title}: no server of ${name}`);
    test.skipIf(!isHere)(
      `${title}, at ${name}`,
      async ({ open }) => {
        const place = await makePlace();
        const directory = folderWith({ 'service.hcl': `${service}${place.connector}\n${flow}` });
        const window = await open({ directory });
        const { page } = window;
        const queue = await QueuePage.open(window, 'orders');
        await journey({
          ...{ place, page, queue },
          kept: async () => ({ waiting: await seen(directory), dead: await seen(directory, '--dead') }),
          picture: async (picture) => {
            const folder = process.env['E2E_PICTURES'];
            if (folder !== undefined) await page.screenshot({ path: `${folder}/${picture}-${name}.png` });
          },
        });
        await window.close();
        await place.close();
        rmSync(directory, { recursive: true, force: true });
      },
      120_000,
    );
  }
}

const service = `service {
  name       = "worker"
  admin_port = env("ADMIN_PORT")
}
`;

async function seen(directory: string, ...side: readonly string[]): Promise<readonly Kept[]> {
  const args = ['queue', 'peek', 'orders', '--limit', '100', '--format', 'json', ...side, '-c', directory];
  const { stdout } = await runCommand(args);
  const { messages } = JSON.parse(stdout) as {
    readonly messages: readonly { readonly body: unknown; readonly headers: Readonly<Record<string, unknown>> }[];
  };
  return messages.map(({ body, headers: { 'x-replay-count': replays } }) =>
    replays === undefined ? [body] : [body, String(replays)],
  );
}
