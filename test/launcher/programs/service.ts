// Stands in for the program in the tests of the launcher: reports what reaches it, a line each, to the file that is named.
import { appendFileSync } from 'node:fs';
import { endWithLauncher } from '../../../runtime/src/cli/launched.ts';

const [report, exit = '0'] = process.argv.slice(2);
const say = (line: string): void => appendFileSync(report!, `${line}\n`);

endWithLauncher();
const open = setInterval(() => {}, 1_000);
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    say(signal);
    if (ending) return;
    ending = true;
    // Long enough that a signal sent twice is seen twice.
    setTimeout(() => {
      clearInterval(open);
      say('drained');
      process.exitCode = Number(exit);
    }, 600);
  });
}
say(`started ${process.pid}`);
