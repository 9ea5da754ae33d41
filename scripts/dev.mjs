// "npm run dev -- -c DIR": set-up, then "svc start" from the sources without a build, again whenever a source changes.
// What else is written is given to "svc start".
import { createRequire } from 'node:module';
import { root, setUp } from './set-up.mjs';

const supervise = createRequire(import.meta.url)('../runtime/bin/supervise.js');
const node = setUp();

// Folders, and not every file that was imported: packages do not change.
const watched = ['protocol/src', 'runtime/src'].map((folder) => `--watch-path=${root}${folder}`);
supervise(node, [
  ...watched,
  '--watch-preserve-output',
  `${root}runtime/src/cli/program.ts`,
  'start',
  ...process.argv.slice(2),
]);
