import { createHmac } from 'node:crypto';
import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { measure, median } from '../compare.ts';
import { handWritten, type Side, service, startSide } from '../side.ts';
import { outgoing } from './outgoing.ts';
import { payment, secret } from './payment.ts';

const folder = import.meta.dirname;
const floor = 1.15;

export const webhooks: Benchmark = {
  name: 'webhooks',
  title: 'Signed webhooks: taken, beside a verifier on node:http; sent, fifty at a time, beside undici',
  async run(conditions) {
    const taken = await incoming(conditions);
    const sent = await outgoing(conditions.self);
    return [row('one taken', 'node:http', taken), row('one sent', 'undici', sent)];
  },
};

/** Microseconds of processor time of the server for one webhook. */
async function incoming({ rounds, self, ...conditions }: Conditions) {
  const env = { SECRET: secret };
  const theirs = handWritten(folder, { env });
  const ours = self ? theirs : service(folder, { env });
  const costs: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round++) {
    costs.ours.push(await costOf(ours, { rounds, self, ...conditions }));
    costs.theirs.push(await costOf(theirs, { rounds, self, ...conditions }));
  }
  return { ours: median(costs.ours), theirs: median(costs.theirs) };
}

async function costOf(side: Side, conditions: Conditions): Promise<number> {
  const started = await startSide(side, '/ready');
  const body = JSON.stringify(payment);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': 'application/json',
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
  };
  try {
    await checkThatItChecks(started.address, body, headers);
    const { cpu } = await measure(started, [{ method: 'POST', path: '/hooks', headers, body }], conditions);
    return cpu ?? Number.NaN;
  } finally {
    await started.stop();
  }
}

/** A body that is not the one that was signed is refused. */
async function checkThatItChecks(address: string, body: string, headers: Record<string, string>): Promise<void> {
  const statusOf = async (sent: string) => {
    const answer = await fetch(`${address}/hooks`, { method: 'POST', headers, body: sent });
    await answer.arrayBuffer();
    return answer.status;
  };
  const statuses = [await statusOf(body), await statusOf(` ${body}`)].join();
  if (statuses !== '200,401') throw new Error(`webhooks were answered with ${statuses}`);
}

function row(name: string, beside: string, { ours, theirs }: { readonly ours: number; readonly theirs: number }): Row {
  return {
    name,
    ours: `${ours.toFixed(1)} µs CPU`,
    beside: `${beside} ${theirs.toFixed(1)} µs CPU`,
    ratio: `CPU ${(ours / theirs).toFixed(2)}x`,
    floor: `${floor}x`,
    holds: ours <= theirs * floor,
  };
}
