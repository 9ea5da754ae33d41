// Loaded into a service before it: measures how late its event loop is. SIGUSR2 begins; at the end of the process the
// 99th percentile, in milliseconds, is written to the file LOOP_DELAY.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Threads load it too, and compute hashes.
if (isMainThread) {
  const resolution = 5;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  process.on('SIGUSR2', () => delay.reset());
  // What is measured is the time between two turns of a timer.
  process.on('exit', () => writeFileSync(process.env.LOOP_DELAY, String(delay.percentile(99) / 1e6 - resolution)));
}
