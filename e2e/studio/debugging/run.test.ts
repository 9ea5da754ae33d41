import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { folderWith } from '../../../test/support/folder.ts';
import { browserAddress, openStudio } from '../../../test/support/studio-window.ts';
import { until } from '../../../test/support/until.ts';

const service = `service {
  name       = "small"
  admin_port = env("ADMIN_PORT", "9090")
}
connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}
`;
const echo = `flow "echo" {
  from {
    connector = "api"
    operation = "GET /echo/:word"
  }
  transform {
    word = "input.word"
  }
}
`;
const consume = `connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("BROKER_URL", "amqp://localhost")

  consumer {
    queue = env("QUEUE", "orders.in")
  }
}
flow "keep" {
  from {
    connector = "orders"
    operation = "#"
  }
  transform {
    number = "input.body.number"
  }
}
`;

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

async function open(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const directory = folderWith(files);
  undo.push(() => rmSync(directory, { recursive: true, force: true }));
  const studio = await openStudio({ directory, env });
  undo.push(() => studio.close());
  await studio.page.getByRole('tree', { name: 'Files' }).waitFor();
  return { directory, ...studio };
}

const serviceButton = (page: Page) => page.getByRole('button', { name: /^Service: / });
const stateOf = (page: Page, state: RegExp) => page.getByRole('button', { name: state }).waitFor();

async function choose(page: Page, item: string): Promise<void> {
  await serviceButton(page).click();
  await page.getByRole('menuitem', { name: item }).first().click();
}

async function startTrusting(page: Page): Promise<void> {
  await choose(page, 'Start');
  await page.getByRole('button', { name: /^Trust .* and start it$/ }).click();
  await stateOf(page, /^Service: Running :\d+$/);
}

async function breakAt(page: Page, file: string, line: string): Promise<void> {
  await page.getByRole('treeitem', { name: file }).click();
  await page.locator('.view-line', { hasText: line }).click();
  await page.keyboard.press('F9');
}

async function seriousFindings(page: Page): Promise<readonly string[]> {
  // What the rest of the window has is judged where it is made.
  const { violations } = await new AxeBuilder({ page }).include('main').exclude('.monaco-editor').analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

describe.skipIf(browserAddress === '')('running the service', () => {
  test('it is started, restarted and stopped from the title bar; a start that fails leads to the problems', async () => {
    const { page, directory } = await open({ 'service.hcl': service, 'echo.hcl': echo });
    await stateOf(page, /^Service: Not running$/);
    await startTrusting(page);
    await choose(page, 'Show output');
    const starts = page.getByRole('log', { name: 'Output' }).getByText(/INF ready service=small/);
    await until(async () => (await starts.count()) === 1);
    await choose(page, 'Restart');
    await until(async () => (await starts.count()) === 2);
    await stateOf(page, /^Service: Running :\d+$/);
    await choose(page, 'Stop');
    await stateOf(page, /^Service: Not running$/);
    writeFileSync(join(directory, 'echo.hcl'), echo.replace('operation', 'operatio'));
    await page.getByTitle(/^Problems: \d+ error/).waitFor();
    await choose(page, 'Start');
    await page.getByText(/^The service did not start: its files have \d+ errors?\.$/).waitFor();
    await stateOf(page, /^Service: Failed$/);
    await page.getByRole('button', { name: 'Show output' }).click();
    await page.getByRole('log', { name: 'Output' }).waitFor();
  });
});

describe.skipIf(browserAddress === '')('requests', () => {
  test('a request is made from an endpoint, sent, held at a rule, answered and saved', async () => {
    const { page, directory, complaints } = await open({ 'service.hcl': service, 'echo.hcl': echo });
    await breakAt(page, 'echo.hcl', 'input.word');
    await page.getByRole('button', { name: 'Requests', exact: true }).click();
    await page.getByRole('button', { name: /GET.*\/echo\/:word/ }).click();
    await page.getByRole('button', { name: 'Start and send' }).waitFor();
    await startTrusting(page);
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await page.getByLabel('URL', { exact: true }).press('Control+Enter');
    await page.getByText('{{word}} is empty, and is part of the address.').waitFor();
    await page.getByLabel('word', { exact: true }).fill('one two');
    await page.getByText('not saved', { exact: true }).waitFor();
    await page.getByLabel('word', { exact: true }).press('Control+Enter');
    await page
      .locator('.status')
      .getByText(/echo: transform/)
      .waitFor();
    await page.getByRole('tab', { name: /^get-echo-word/ }).click();
    await page.getByText('Paused in echo, before rule word').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('region', { name: 'Answer' }).getByRole('button', { name: 'Continue' }).click();
    await page.getByText('200 OK').waitFor();
    await page.getByRole('tree', { name: 'Body' }).getByText('"one two"').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Control+s');
    const saved = () => JSON.parse(readFileSync(join(directory, 'requests/get-echo-word.json'), 'utf8')) as unknown;
    await until(() => (saved() as { variables: { word: string } }).variables.word === 'one two');
    expect(saved()).toEqual({
      method: 'GET',
      url: '{{base}}/echo/{{word}}',
      variables: { word: 'one two' },
      headers: {},
      body: '',
    });
    writeFileSync(join(directory, 'requests/get-echo-word.json'), '{ "url": "{{base}}/elsewhere" }');
    await until(async () => (await page.getByLabel('URL', { exact: true }).inputValue()) === '{{base}}/elsewhere');
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(browserAddress === '' || brokerUrl === undefined)('queues', () => {
  test('one message is pulled, held at a rule, and acknowledged after it continued', async () => {
    const queue = await TestQueue.declare();
    undo.push(() => queue.end());
    const env = { QUEUE: queue.name, BROKER_URL: brokerUrl as string };
    const { page, complaints } = await open({ 'service.hcl': service, 'keep.hcl': consume }, env);
    await queue.publish([{ number: 1 }, { number: 2 }], { messageId: 'm-1' });
    await breakAt(page, 'keep.hcl', 'input.body.number');
    await page.getByRole('button', { name: /^Queues/ }).click();
    await page.getByText('Flows here consume from orders').waitFor();
    await page.getByRole('complementary').getByRole('button', { name: 'Start this project' }).click();
    await page.getByRole('button', { name: /^Trust .* and start it$/ }).click();
    await page.getByRole('button', { name: `${queue.name} orders, amqp_broker 2 ready` }).click();
    expect(await queue.counts()).toEqual({ ready: 2, consumers: 0 });
    const pull = page.getByRole('button', { name: 'Pull one' });
    await pull.click();
    await page
      .locator('.status')
      .getByText(/keep: transform/)
      .waitFor();
    await page.getByRole('tab', { name: queue.name }).click();
    await page.getByText(/^You hold m-1, unacked for \d+ s; 1 wait behind it$/).waitFor();
    await page.getByRole('list', { name: 'Stages' }).getByText('in transform, before rule number').waitFor();
    expect(await pull.isDisabled()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('region', { name: 'Message under way' }).getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('cell', { name: 'Acknowledged' }).waitFor();
    expect(await queue.counts()).toEqual({ ready: 1, consumers: 0 });
    await page.getByText('One at a time', { exact: true }).click();
    await page
      .locator('.status')
      .getByText(/keep: transform/)
      .waitFor();
    await page.getByRole('tab', { name: queue.name }).click();
    await page.getByRole('region', { name: 'Message under way' }).getByRole('button', { name: 'Continue' }).click();
    await until(async () => (await page.getByRole('cell', { name: 'Acknowledged' }).count()) === 2);
    await page.getByText('On demand', { exact: true }).click();
    await pull.click();
    await page.getByText('Waiting for a message').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await pull.waitFor();
    expect(complaints).toEqual([]);
  });
});
