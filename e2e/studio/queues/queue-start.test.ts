import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { folderWith } from '../../../test/support/folder.ts';
import { runCommand } from '../../../test/support/service.ts';
import { servicePid } from '../debugging/service-process.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

if (brokerUrl === undefined) console.warn('SKIP  starts with queues in the window: TEST_RABBITMQ_URL names no broker');

const env = { AMQP_URL: brokerUrl ?? '' };

const files = (queue: string) => ({
  'service.hcl': `service {
  name       = "worker"
  admin_port = env("ADMIN_PORT")
}
connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("AMQP_URL")
  consumer {
    queue    = "${queue}"
    prefetch = 1
  }
}
`,
  'flow.hcl': `flow "keep" {
  from {
    connector = "orders"
    operation = "#"
  }
  transform {
    customer = "upper(input.body.customer)"
  }
}
`,
});

describeInBrowser('a service that takes messages', () => {
  test.skipIf(brokerUrl === undefined)(
    'takes none before breakpoints and gate are set, however it is started',
    async ({ open }) => {
      const queue = await TestQueue.declare();
      const ready = async () => (await queue.counts()).ready;
      await queue.publish(Array.from({ length: 20 }, (_, number) => ({ customer: `c${number}` })));
      const { page, workbench, pid } = await open({ directory: folderWith(files(queue.name)), env });
      await workbench.ready();
      const own = new Debugger(page);
      await page.keyboard.press('F5');
      await page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
      await own.expectState('Running');
      await page.getByRole('button', { name: /^Queues/ }).click();
      const side = page.getByRole('complementary', { name: 'Queues' });
      await side.getByText('20', { exact: false }).first().waitFor();
      expect(await ready()).toBe(20);

      // The gate that the person chose holds for the next start too.
      const editor = await workbench.open('flow.hcl');
      await editor.goBehind('    customer ');
      await page.keyboard.press('F9');
      await side.getByText('One at a time', { exact: true }).click();
      await own.expectAt('keep: transform, customer');
      const first = servicePid(pid);
      await workbench.run('Run: Restart');
      await expect.poll(() => [0, first].includes(servicePid(pid)), pollOptions).toBe(false);
      await own.expectAt('keep: transform, customer');
      const single = side.getByRole('radio', { name: /^One at a time/ });
      await expect.poll(() => single.isChecked(), pollOptions).toBe(true);
      // The message that was held was released by the end of the first process, and no other was taken.
      expect(await ready()).toBe(18);
      await page.getByRole('toolbar', { name: 'Debug' }).getByRole('button', { name: 'Stop' }).click();
      await own.expectState('Not attached');
      await queue.end();
    },
  );

  test.skipIf(brokerUrl === undefined)(
    'says that its queue is missing, and creates it on a click',
    async ({ open }) => {
      const queue = await TestQueue.declare();
      await queue.delete();
      const parent = folderWith();
      const directory = join(parent, 'worker');
      const { page, workbench } = await open({ env });
      await page.getByRole('button', { name: /^Queue worker/ }).click();
      const dialog = page.getByRole('dialog', { name: 'New project from a template' });
      await dialog.getByRole('combobox').fill(directory);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await workbench.ready();
      const path = join(directory, 'connectors.hcl');
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace('"orders"\n    prefetch', `"${queue.name}"\n    prefetch`),
      );
      await workbench.run('Run: Start');
      await workbench.notice(`The queue "${queue.name}" does not exist at the broker.`).waitFor();
      // Nothing was declared without a click.
      const checked = await runCommand(['check', '-c', directory], env);
      expect(checked.stdout).toContain(`queue "${queue.name}" does not exist`);
      await page.getByRole('log', { name: 'Notices' }).getByRole('button', { name: 'Create queue' }).click();
      await new Debugger(page).expectState('Running');
      await expect.poll(() => workbench.notice(/does not exist/).count(), pollOptions).toBe(0);
      expect(await queue.counts()).toEqual({ ready: 0, consumers: 0 });
      await queue.end();
      rmSync(parent, { recursive: true, force: true });
    },
  );
});
