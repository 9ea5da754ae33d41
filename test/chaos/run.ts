// "npm run chaos": 500 workflows of five steps over three processes with one PostgreSQL database, a process killed every
// three seconds. Needs TEST_POSTGRES_URL. Ends with 1 when a workflow does not complete, or a step is repeated that no
// kill explains.
import { type ChaosReport, runChaos } from './chaos.ts';

const server = process.env['TEST_POSTGRES_URL'];
if (server === undefined) {
  console.error('npm run chaos needs the address of a PostgreSQL server in TEST_POSTGRES_URL');
  process.exit(2);
}
const report: ChaosReport = await runChaos({
  server,
  workflows: 500,
  processes: 3,
  killEvery: 3000,
  headStart: '8s',
  stepTime: 500,
  lease: '5s',
  tell: (line) => console.log(line),
});
const { unexplained, ...counts } = report;
console.table(counts);
for (const line of unexplained) console.log(`not explained by a kill: ${line}`);
const isWell = report.completed === report.workflows && report.missing === 0 && report.undone === 0;
process.exitCode = isWell && unexplained.length === 0 ? 0 : 1;
