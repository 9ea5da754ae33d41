import { afterEach, expect, test } from 'vitest';
import { Conversation, startDebugged } from './conversation.ts';

const priced = `flow "priced" {
  from {
    connector = "api"
    operation = "POST /priced"
  }
  transform {
    subtotal = "sum(input.lines.map(line, line.price))"
    total    = "output.subtotal * (1.0 - input.discount) + (input.shipping ?? 0.0)"
    cookie   = "input.headers.cookie"
  }
}`;
const order = { lines: [{ price: 10 }, { price: 20.5 }], discount: 0.5 };

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

test('values: the reading of a rule, a search, and what was forced', async () => {
  const started = await startDebugged(priced);
  stop = started.stop;
  const client = await Conversation.open(started.service);
  await client.call('debug.attach', { capabilities: ['reading', 'search', 'forced'] });
  await client.call('debug.setBreakpoints', {
    flow: 'priced',
    breakpoints: [-1, 0, 1, 2].map((ruleIndex) => ({ stage: 'transform', ruleIndex })),
  });
  const answer = started.ask('/priced', order, { cookie: 'c=1' });
  const { threadId } = await client.event('event.stopped');
  const resume = async () => {
    await client.call('debug.continue', { threadId });
    await client.event('event.stopped');
  };
  await client.call('debug.reading', { threadId });
  await client.call('debug.reading', { threadId, expression: '[input.discount + 1.0, input.gone.x]' });
  await resume();
  await client.call('debug.reading', { threadId });
  await resume();
  await client.call('debug.setVariable', { threadId, path: ['output', 'subtotal'], value: 100 });
  await client.call('debug.setVariable', { threadId, path: ['output', 'subtotal'], value: 200 });
  await client.call('debug.setVariable', { threadId, path: ['input', 'shipping'], value: 4.5 });
  await client.call('debug.setVariable', { threadId, path: ['input', 'lines', '0', 'price'], value: 11 });
  await client.call('debug.variables', { threadId });
  await client.call('debug.reading', { threadId });
  await client.call('debug.search', { threadId, text: 'PRICE' });
  await client.call('debug.search', { threadId, text: '20', limit: 1 });
  await client.call('debug.search', { threadId, text: '' });
  await client.call('debug.search', { threadId, text: 'x', limit: 5_000 });
  await resume();
  await client.call('debug.reading', { threadId });
  await client.call('debug.reading', { threadId, expression: 'input.headers.cookie + input.' });
  await client.call('debug.reading', { threadId, expression: 'input.headers.cookie + "!"' });
  await client.call('debug.continue', { threadId });
  client.note(`the caller reads ${await answer}`);
  await client.event('event.flowEnd');
  await client.call('debug.reading', { threadId });
  await expect(client.text).toMatchFileSnapshot('./values.txt');
});
