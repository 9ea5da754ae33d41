// "npm run peers [-- NAME...]": servers and clients of other makers work with the built program, one line for each. The
// rows of docs/peers.md are written again for those that ran without an unexpected result.
// Ends with 1 when a peer gave one or could not be started, with 2 when a name is unknown.

import { bringUp, servers } from '../support/servers/index.ts';
import { peers } from './index.ts';
import { type Peer, verdictOf } from './peer.ts';
import { writeRow } from './table.ts';

const tell = (line: string) => console.log(line);

async function isAsExpected(peer: Peer): Promise<boolean> {
  const title = `${peer.name} ${peer.version}`;
  const missing = peer.missing();
  if (missing !== undefined) {
    tell(`${title}: not run: ${missing}`);
    return true;
  }
  const begun = performance.now();
  try {
    const verdict = verdictOf(peer, await peer.run((line) => tell(`  ${line}`)));
    const { passed, seen, gone, wrong } = verdict;
    const seconds = Math.round((performance.now() - begun) / 1000);
    tell(`${title}: ${passed} passed, ${seen.length} known differences, ${wrong.length} wrong (${seconds} s)`);
    for (const { checks } of gone) tell(`  no longer different, take it off the list: ${checks}`);
    for (const { check, error } of wrong) tell(`  wrong: ${check}: ${error}`);
    const isWell = wrong.length === 0 && gone.length === 0 && passed > 0;
    if (isWell) writeRow(peer, verdict);
    return isWell;
  } catch (error) {
    tell(`${title}: did not run: ${(error as Error).message}`);
    return false;
  }
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !peers.some((peer) => peer.name === name));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: none of ${peers.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const chosen = peers.filter(({ name }) => names.length === 0 || names.includes(name));
const ground = await bringUp([...new Set(chosen.flatMap(({ needs = servers }) => needs))]);
Object.assign(process.env, ground.environment);
let isWell = true;
// An interrupt ends the tests of a peer; what was started is stopped then.
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
  });
}
try {
  for (const peer of chosen) {
    if (isInterrupted) break;
    isWell = (await isAsExpected(peer)) && isWell;
  }
} finally {
  await ground.tearDown();
}
process.exitCode = isWell && !isInterrupted ? 0 : 1;
