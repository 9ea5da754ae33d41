import { fork } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Pool } from 'undici';
import { create } from '../../../runtime/src/connectors/notify/webhook/outbound/connector.ts';
import { webhookOutbound } from '../../../runtime/src/connectors/notify/webhook/outbound/spec.ts';
import type { Connector } from '../../../runtime/src/foundation/contracts/connector.ts';
import type { Execute } from '../../../runtime/src/foundation/contracts/target.ts';
import { configured } from '../../support/configured.ts';
import { connectorServices, recordingLog } from '../../support/connector-services.ts';
import { median } from '../load.ts';
import { payment, secret } from './payment.ts';

const concurrency = 50;
/** Webhooks of one slice; the sides take turns after each. */
const slice = 5_000;
const slices = 11;

type Send = () => unknown;

/** Microseconds of processor time for one webhook, of the connector and of undici with the same headers. */
export async function outgoing(isSelf: boolean): Promise<{ readonly ours: number; readonly theirs: number }> {
  const child = fork(join(import.meta.dirname, 'receiver.ts'), { execArgv: ['--no-warnings'] });
  const [port] = (await once(child, 'message')) as [number];
  const origin = `http://127.0.0.1:${port}`;
  const connector = create(
    'partner',
    configured(webhookOutbound.config, { url: `${origin}/hooks`, secret }),
    connectorServices({ log: { ...recordingLog(), enabled: () => false } }),
  ) as Connector & { readonly target: { prepare(call: object): Execute } };
  await connector.open(new AbortController().signal);
  const execute = connector.target.prepare({
    verb: 'create',
    operation: 'send',
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'bench',
    label: 'to',
  });
  const pool = new Pool(origin, { connections: 256, pipelining: 1, allowH2: false });
  const theirs = byHand(pool);
  const ours: Send = isSelf ? theirs : () => execute({ payload: { payload: payment, event_type: 'payment.made' } });
  const costs: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
  for (const send of [ours, theirs]) await costOf(send);
  for (let round = 0; round < slices; round++) {
    costs.ours.push(await costOf(ours));
    costs.theirs.push(await costOf(theirs));
  }
  await connector.close();
  await pool.close();
  child.disconnect();
  return { ours: median(costs.ours), theirs: median(costs.theirs) };
}

/** What a careful program does: a new identifier, a signature over time and body, a bounded wait, the answer read. */
function byHand(pool: Pool): Send {
  return async () => {
    const body = JSON.stringify(payment);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const id = randomUUID();
    const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
    const answer = await pool.request({
      method: 'POST',
      path: '/hooks',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'by-hand',
        'accept-encoding': 'gzip, deflate, br, zstd',
        'x-webhook-id': id,
        'x-webhook-event': 'payment.made',
        'x-webhook-timestamp': timestamp,
        'x-webhook-signature': signature,
      },
      body,
      headersTimeout: 30_000,
      bodyTimeout: 30_000,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`the receiver answered ${answer.statusCode}: ${text}`);
    return { id, status: answer.statusCode, text };
  };
}

async function costOf(send: Send): Promise<number> {
  let left = slice;
  const one = async () => {
    while (left-- > 0) await send();
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: concurrency }, one));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / slice;
}
