// Makes the ground ready: the packages of the lock file, and a Node that is new enough. It needs no package and runs on
// the Node of the machine (18 or later). "npm start" and "npm test" begin with it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const findNode = createRequire(import.meta.url)('../runtime/bin/find-node.js');
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Installs what is missing, and returns the path of a Node that runs everything else. Ends the process with a message when it cannot. */
export function setUp() {
  if (!isInstalled()) install();
  const { executable, problem } = findNode();
  if (problem !== undefined) stop(problem);
  return executable;
}

/** Whether every package of the lock file is installed in its version; those for other machines may be absent. */
function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const installed = readPackages('node_modules/.package-lock.json');
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, { version, link, optional }]) => {
    if (link || !path.includes('node_modules/')) return true;
    return installed[path] === undefined ? optional === true : installed[path].version === version;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(`${root}${file}`, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function install() {
  console.log('set-up: installing packages with npm ci, which takes a minute');
  const began = Date.now();
  // npm warns of each package that a Node older than its own wants; the program brings the Node that it runs on.
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund'];
  const args = ['ci', '--include=optional', '--include=dev', '--engine-strict=false', ...quiet];
  const { npm_node_execpath: node, npm_execpath: npm } = process.env;
  const { status } =
    node !== undefined && npm !== undefined
      ? spawnSync(node, [npm, ...args], { cwd: root, stdio: 'inherit' })
      : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) stop('npm ci did not succeed; its messages are above.');
  console.log(`set-up: packages installed in ${Math.round((Date.now() - began) / 1000)} s`);
}

function stop(message) {
  console.error(`set-up: ${message}`);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setUp();
