import { type EventParams, socketChannel, WireClient } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { main } from '../main.ts';
import { inDirectory, typed } from '../testing/typed.ts';

const files = {
  'service.hcl': `connector "api" {
  type = "rest"
  port = 0
}
connector "bank" {
  type     = "http"
  base_url = "http://nowhere.invalid"
  timeout  = "5s"
}
flow "charge" {
  from {
    connector = "api"
    operation = "POST /charges"
  }
  transform {
    total = "input.quantity * input.price"
    at    = "now()"
  }
  to {
    connector = "bank"
    operation = "POST /charges"
  }
}
`,
  'tests/charges.hcl': `test "a charge" {
  flow  = "charge"
  input = { quantity = 2, price = 5 }
  expect {
    call "bank" {
      params = { total = 10, at = "2026-01-01T00:00:00Z" }
    }
  }
}

test "another" {
  flow  = "charge"
  input = { quantity = 3, price = 5 }
  expect {
    call "bank" {
      params = { total = 15 }
    }
  }
}
`,
};

interface Line {
  readonly kind: string;
  readonly address?: string;
  readonly name?: string;
  readonly passed?: boolean;
}

/** `svc test --debug` with what it says, line by line. */
function debugged(directory: string, at: string, environment: Readonly<Record<string, string>> = {}) {
  const lines: Line[] = [];
  const first = Promise.withResolvers<string>();
  const write = (text: string) => {
    for (const line of text.split('\n').filter((each) => each !== '')) lines.push(JSON.parse(line));
    const { address } = lines[0] ?? {};
    if (address !== undefined) first.resolve(address);
  };
  const quiet = { write: () => undefined, colour: false, width: 80 };
  const status = main(
    ['test', directory, '--at', at, '--debug', '--format', 'json-lines'],
    { out: { write, colour: false, width: 80 }, error: quiet, input: process.stdin },
    { environment, workingDirectory: directory },
  );
  return { address: first.promise, status, lines };
}

async function attached(address: string, headers: Readonly<Record<string, string>> = {}): Promise<WireClient> {
  const socket = new WebSocket(address, { headers });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const wire = new WireClient(socketChannel(socket as unknown as globalThis.WebSocket));
  await wire.call('debug.attach', { capabilities: [] });
  return wire;
}

function stopped(wire: WireClient): Promise<EventParams<'event.stopped'>> {
  return new Promise((resolve) => wire.on('event.stopped', resolve));
}

test('a test that is debugged waits for breakpoints, stops at them, and ends with what a person made of its values', () =>
  inDirectory(files, async (directory) => {
    const { address, status, lines } = debugged(directory, 'tests/charges.hcl:3');
    const wire = await attached(await address);
    expect(await wire.call('inspect.flows', {})).toMatchObject([{ name: 'charge' }]);
    await wire.call('debug.setBreakpoints', {
      flow: 'charge',
      breakpoints: [{ stage: 'transform', ruleIndex: 1 }],
    });
    const stop = stopped(wire);
    await wire.call('debug.ready', {});
    const { threadId, rule } = await stop;
    expect(rule).toMatchObject({ index: 1, target: 'at' });
    expect(JSON.stringify(await wire.call('debug.variables', { threadId }))).toContain('"total":10');
    expect(lines.map(({ kind }) => kind)).toEqual(['debug']);
    const ended = new Promise((resolve) => wire.on('event.flowEnd', resolve));
    await wire.call('debug.continue', { threadId });
    await ended;
    expect(await status).toBe(0);
    expect(lines.slice(1)).toMatchObject([
      { kind: 'test', name: 'a charge', passed: true },
      { kind: 'end', passed: true, summary: { total: 2, run: 1, passed: 1, failed: 0 } },
    ]);
  }));

test('the time of a test does not pass while it is held, so that nothing in it is late', () =>
  inDirectory(files, async (directory) => {
    const { address, status } = debugged(directory, 'tests/charges.hcl:1');
    const wire = await attached(await address);
    await wire.call('debug.setBreakpoints', { flow: 'charge', breakpoints: [{ stage: 'write', ruleIndex: -1 }] });
    const stop = stopped(wire);
    await wire.call('debug.ready', {});
    const { threadId } = await stop;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    await wire.call('debug.continue', { threadId });
    expect(await status).toBe(0);
  }));

test('a debugger that leaves lets the test run to its end', () =>
  inDirectory(files, async (directory) => {
    const { address, status, lines } = debugged(directory, 'tests/charges.hcl:11');
    const wire = await attached(await address);
    await wire.call('debug.setBreakpoints', { flow: 'charge', breakpoints: [{ stage: 'transform', ruleIndex: 0 }] });
    const stop = stopped(wire);
    await wire.call('debug.ready', {});
    await stop;
    wire.close();
    expect(await status).toBe(0);
    expect(lines.at(-2)).toMatchObject({ name: 'another', passed: true });
  }));

test('a web page, and a client with another token, are not let in', () =>
  inDirectory(files, async (directory) => {
    const { address, status } = debugged(directory, 'tests/charges.hcl:1', { SVC_DEBUG_TOKEN: 'right' });
    await expect(attached(await address, { origin: 'http://127.0.0.1' })).rejects.toThrow('403');
    await expect(attached(await address, { authorization: 'Bearer wrong' })).rejects.toThrow('401');
    await expect(attached((await address).replace('/debug', '/other'))).rejects.toThrow('404');
    const wire = await attached(await address, { authorization: 'Bearer right' });
    await wire.call('debug.ready', {});
    expect(await status).toBe(0);
  }));

test.each([
  [['--debug'], 'name the test to debug: --at FILE:LINE, such as tests/orders.hcl:12'],
  [['--debug', '--at', 'tests/charges.hcl'], 'name the test to debug'],
  [['--debug', '--at', 'tests/charges.hcl:1', '--at', 'tests/charges.hcl:11'], 'name the test to debug'],
  [['--debug', '--watch', '--at', 'tests/charges.hcl:1'], 'leave --watch away'],
  [['--at', 'service.hcl:1'], '--at names a file of tests, such as tests/orders.hcl'],
  [['--at', '../tests/a.hcl'], '--at names a file of tests'],
])('%j is refused', (words, message) =>
  inDirectory(files, async (directory) => {
    const { status, error } = await typed(['test', ...words, '-c', directory], directory);
    expect([status, error.includes(message)], error).toEqual([2, true]);
  }),
);

test.each([
  [
    ['--at', 'tests/charges.hcl'],
    ['a charge', 'another'],
  ],
  [['--at', 'tests/charges.hcl:9'], ['a charge']],
  [['--at', 'tests/charges.hcl:11'], ['another']],
  [
    ['--at', 'tests/charges.hcl:1', '--at', 'tests/charges.hcl:11'],
    ['a charge', 'another'],
  ],
])('%j runs these tests, and says each as it ends', (words, names) =>
  inDirectory(files, async (directory) => {
    const { status, out } = await typed(['test', ...words, '--format', 'json-lines', '-c', directory], '/');
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([status, lines.filter(({ kind }) => kind === 'test').map(({ name }) => name)]).toEqual([0, names]);
    expect(lines.at(-1)).toMatchObject({ kind: 'end', summary: { run: names.length } });
  }),
);

test('a line between tests is at none', () =>
  inDirectory(files, async (directory) => {
    const { status, error } = await typed(['test', '--at', 'tests/charges.hcl:10', '-c', directory], '/');
    expect([status, error]).toEqual([1, 'svc test: no test of 2 is at tests/charges.hcl:10\n']);
  }));
