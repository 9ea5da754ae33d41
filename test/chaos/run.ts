// "npm run chaos [-- CASE...]": what may happen to services while they work, at full scale. Needs TEST_POSTGRES_URL;
// with TEST_RABBITMQ_URL the services take messages from a queue too, with TEST_NATS_URL from a stream. Of Kafka one is
// started where Java and Maven are.
// Ends with 1 when something failed, was lost or was done twice that nothing explains.

import { kafka, startKafka } from '../support/servers/kafka/server.ts';
import { type ChaosReport, runChaos } from './chaos.ts';
import { isReconciled, runKills } from './kills.ts';
import { runLetters } from './letters.ts';
import { type LifecycleReport, runReloads, runRestarts, runSoak } from './lifecycle.ts';
import { runSchedules } from './schedules.ts';

const server = process.env['TEST_POSTGRES_URL'] ?? '';
const broker = process.env['TEST_RABBITMQ_URL'];
/** Addresses of the brokers; that of the log is a stand-in of this program. */
const brokers = { rabbitmq: broker, jetstream: process.env['TEST_NATS_URL'], log: '' };
const tell = (line: string) => console.log(line);

const cases: Readonly<Record<string, () => Promise<boolean>>> = {
  /** 500 workflows of five steps over three processes with one database, a process killed every three seconds. */
  workflows: async () => {
    const timing = { killEvery: 3000, headStart: '8s', stepTime: 500, lease: '5s' };
    const { unexplained, ...counts }: ChaosReport = await runChaos({
      server,
      workflows: 500,
      processes: 3,
      ...timing,
      tell,
    });
    console.table(counts);
    for (const line of unexplained) console.log(`not explained by a kill: ${line}`);
    const { completed, workflows, missing, undone } = counts;
    return completed === workflows && missing === 0 && undone === 0 && unexplained.length === 0;
  },
  restarts: () => reported(runRestarts({ server, broker, rate: 500, restarts: 50, tell })),
  reloads: () => reported(runReloads({ server, broker, rate: 500, reloads: 100, tell })),
  /** Twenty kills while 20,000 messages are taken from each broker. */
  kills: async () => {
    let isWell = true;
    for (const [kind, address] of Object.entries(brokers)) {
      if (address === undefined) {
        console.log(`${kind}: its address is not given`);
        continue;
      }
      const report = await runKills({ server, kind, broker: address, messages: 20_000, kills: 20, tell });
      console.log(kind);
      console.table(report);
      isWell = isReconciled(report) && isWell;
    }
    return isWell;
  },
  /**
   * 20,000 messages of a real Kafka for two and four processes that start together: without kills; with five; with two kills
   * of the broker, while the topic grows twice; with all of that.
   */
  replicas: async () => {
    if (!kafka.isInstalled()) {
      console.log('kafka: Java and Maven are not on this machine');
      return true;
    }
    const started = await startKafka();
    let isWell = true;
    try {
      for (const kills of [0, 5])
        for (const besides of [[], ['crash', 'growth', 'crash', 'growth']] as const)
          for (const processes of [2, 4]) {
            const place = { server, kind: 'kafka', broker: started.address, crash: () => started.crash() };
            const report = await runKills({ ...place, messages: 20_000, kills, besides, processes, tell });
            console.log(`${processes} processes`);
            console.table(report);
            isWell = isReconciled(report) && isWell;
          }
    } finally {
      await started.stop();
    }
    return isWell;
  },
  /** 20,000 dead letters that are sent back, 10,000 in one call, in a heap of 64 MB. */
  letters: async () => {
    if (broker === undefined) {
      console.log('rabbitmq: its address is not given');
      return true;
    }
    const { calls, left } = await runLetters({ letters: 20_000, each: 10_000, tell });
    for (const [code, stderr, last] of calls) console.log([code, stderr, last].join(' '));
    return calls.every(([code]) => code === 0) && left.at(-1) === 0;
  },
  /** 500 schedules, each for a year or 100,000 ticks of simulated time. */
  schedules: async () => (await runSchedules({ schedules: 500, tell })) === 0,
  soak: () => reported(runSoak({ server, broker, rate: 200, minutes: 10, tell })),
};

async function reported(running: Promise<LifecycleReport>): Promise<boolean> {
  const { examples, failures, ...counts } = await running;
  console.table(counts);
  if (counts.failed > 0) console.table(failures);
  for (const line of examples) console.log(`failed: ${line}`);
  return counts.failed + counts.lost + counts.doubled + counts.unclean === 0;
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(cases);
const unknown = wanted.filter((name) => !Object.hasOwn(cases, name));
if (server === '' || unknown.length > 0) {
  const problem =
    server === ''
      ? 'the address of a PostgreSQL server in TEST_POSTGRES_URL'
      : `one of ${Object.keys(cases).join(', ')}`;
  console.error(`npm run chaos needs ${problem}`);
  process.exit(2);
}
let isWell = true;
for (const name of wanted) {
  console.log(name);
  isWell = ((await cases[name]?.()) ?? false) && isWell;
}
process.exitCode = isWell ? 0 : 1;
