// "npm test": set-up, then every check of check.ts under a Node that is new enough.
import { createRequire } from 'node:module';
import { root, setUp } from './set-up.mjs';

const supervise = createRequire(import.meta.url)('../runtime/bin/supervise.js');
const node = setUp();

supervise(node, [`${root}scripts/check.ts`, ...process.argv.slice(2)], { cwd: root });
