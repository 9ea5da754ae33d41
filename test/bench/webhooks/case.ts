import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { measure, median } from '../load.ts';
import { handWritten, type Side, service, startSide } from '../side.ts';
import { outgoing } from './outgoing.ts';
import { payment, secret } from './payment.ts';

const folder = import.meta.dirname;
const floor = 1.15;

export const webhooks: Benchmark = {
  name: 'webhooks',
  title: 'Signed webhooks: taken, beside verifiers on Fastify and on node:http; sent, fifty at a time, beside undici',
  async run(conditions) {
    const { ours, framework, bare } = await incoming(conditions);
    const sent = await outgoing(conditions.self);
    return [
      row('one taken', 'Fastify', { ours, theirs: framework }),
      { ...row('one taken', 'node:http', { ours, theirs: bare }), floor: '-', holds: undefined },
      row('one sent', 'undici', sent),
    ];
  },
};

/** Microseconds of processor time of the servers for one webhook. */
async function incoming(conditions: Conditions) {
  const env = { SECRET: secret };
  const framework = handWritten(join(folder, 'fastify'), { env });
  const bare = handWritten(folder, { env });
  const sides = { ours: conditions.self ? framework : service(folder, { env }), framework, bare };
  const costs = { ours: [] as number[], framework: [] as number[], bare: [] as number[] };
  for (let round = 0; round < conditions.rounds; round++)
    for (const name of ['ours', 'framework', 'bare'] as const) costs[name].push(await costOf(sides[name], conditions));
  return { ours: median(costs.ours), framework: median(costs.framework), bare: median(costs.bare) };
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
