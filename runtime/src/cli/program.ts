import { enableCompileCache } from 'node:module';
import { endWithLauncher } from './launched.ts';
import { outputLeft, tolerateClosedOutput } from './output.ts';

/** How long leftovers such as idle sockets may keep the process after the command is over, in milliseconds. */
const leftoverTime = 1_000;

endWithLauncher();
tolerateClosedOutput();
// Compiled code is kept between runs; what follows is imported late so that it is covered.
enableCompileCache();
const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2));
// A reader may take longer than the time for leftovers.
await outputLeft();
setTimeout(() => process.exit(), leftoverTime).unref();
