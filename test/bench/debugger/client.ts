// A client of the debugger in a process of its own: node client.ts read|next|echo URL. It talks to its parent.
import { once } from 'node:events';
import { type EventParams, socketChannel, WireClient } from '@svc/protocol/wire';
import { WebSocket } from 'ws';

const [, , mode, url = ''] = process.argv;
const socket = new WebSocket(url, { perMessageDeflate: false });
await once(socket, 'open');
const tell = (message: object) => process.send?.(message);
process.on('disconnect', () => process.exit());

/** Round trips that are measured after as many that are not. */
const trips = 2_000;
const times: number[] = [];
function note(microseconds: number): boolean {
  times.push(microseconds);
  return times.length === 2 * trips;
}
function report(): void {
  const sorted = times.slice(trips).sort((a, b) => a - b);
  tell({ median: sorted[trips >> 1], p99: sorted[Math.floor(trips * 0.99)] });
}

/** Counts what comes, and what is said to have been left out; asked, it tells both. */
function read(): void {
  let count = 0;
  let left = 0;
  socket.on('message', (data: Buffer) => {
    count++;
    if (data.length > 200 || !data.includes('event.dropped')) return;
    count--;
    left += (JSON.parse(String(data)) as { params: EventParams<'event.dropped'> }).params.count;
  });
  process.on('message', () => tell({ count, left }));
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug.attach', params: { capabilities: ['dropped'] } }));
  tell({ open: true });
}

/** From `debug.next` to the stop at the next stage. */
async function next(): Promise<void> {
  const client = new WireClient(socketChannel(socket));
  await client.call('debug.attach', {});
  await client.call('debug.setBreakpoints', { flow: 'one', breakpoints: [{ stage: 'input', ruleIndex: -1 }] });
  let began = 0;
  client.on('event.stopped', ({ threadId, stage, reason }) => {
    if (reason === 'step' && note((performance.now() - began) * 1_000)) report();
    if (stage === 'validate_output') return void client.call('debug.continue', { threadId });
    began = performance.now();
    void client.call('debug.next', { threadId });
  });
  tell({ open: true });
}

/** From a text to its echo, sent by a server that does nothing else. */
function echo(): void {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug.next', params: { threadId: 't0123456789' } });
  let began = performance.now();
  socket.on('message', () => {
    if (note((performance.now() - began) * 1_000)) return report();
    began = performance.now();
    socket.send(text);
  });
  tell({ open: true });
  socket.send(text);
}

if (mode === 'read') read();
else if (mode === 'next') await next();
else echo();
