// "npm start": set-up, build, then the example service with its tables made, and the studio beside it, which a browser
// opens where a display is attached. "-- --open" opens it anyway, "-- --no-open" does not.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { root, setUp } from './set-up.mjs';

const supervise = createRequire(import.meta.url)('../runtime/bin/supervise.js');
const example = `${root}examples/orders`;
const program = `${root}runtime/dist/main.js`;

const unknown = process.argv.slice(2).filter((argument) => argument !== '--open' && argument !== '--no-open');
if (unknown.length > 0) {
  console.error(`npm start: unknown argument ${unknown.join(' ')}; there are --open and --no-open.`);
  process.exit(2);
}

const node = setUp();
const port = await freePort(3000);
const adminPort = await freePort(9090, port);
const env = { ...process.env, PORT: String(port), ADMIN_PORT: String(adminPort) };
run('building', `${root}scripts/build.mjs`);
run('applying migrations', program, 'migrate', '-c', example);
console.log('start: starting the service and the studio');
const studio = startStudio();
supervise(node, [program, 'start', '-c', example], { cwd: root, env, ready: () => void announce(studio) });

/** Runs one step to its end. What it says is shown when it fails, and this process ends as it does. */
function run(what, ...command) {
  console.log(`start: ${what}`);
  const { status, signal, stdout, stderr } = spawnSync(node, command, { cwd: root, env, maxBuffer: 2 ** 26 });
  if (status === 0) return;
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  console.error(`start: ${what} failed; what it said is above.`);
  process.exit(signal === null ? status : 1);
}

/** The preferred port when no process listens on it, else one that the system chooses. */
async function freePort(preferred, except) {
  for (const candidate of [preferred, 0]) {
    const found = await listenOnce(candidate);
    if (found !== undefined && found !== except) return found;
  }
  throw new Error('no free port');
}

function listenOnce(candidate) {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(undefined));
    server.listen(candidate, () => {
      const { port: bound } = server.address();
      server.close(() => resolve(bound));
    });
  });
}

/**
 * Starts the studio on the running example and answers its address; undefined when it cannot run. It ends when the
 * channel to this process closes, and hears no signal of the terminal itself.
 */
function startStudio() {
  const attach = ['--attach', `127.0.0.1:${adminPort}`, '--address', `http://localhost:${port}`];
  const studio = spawn(node, [program, 'studio', example, ...attach], {
    cwd: root,
    env: { ...env, SVC_SUPERVISED: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: process.platform !== 'win32',
  });
  let said = '';
  studio.stderr.on('data', (piece) => (said += piece));
  return new Promise((resolve) => {
    studio.stdout.on('data', (piece) => resolve(/https?:\S+/.exec(piece)?.[0]));
    studio.on('close', () => {
      console.error(said.trim());
      resolve(undefined);
    });
  });
}

/** Prints where things are. */
async function announce(starting) {
  const admin = `http://localhost:${adminPort}`;
  const studio = await starting;
  console.log(`
  service  http://localhost:${port}/orders
  admin    ${admin}/health
  studio   ${studio ?? 'could not be started; what it said is above'}

  curl -s -X POST localhost:${port}/orders -H 'content-type: application/json' \\
    -d '{"customer": "Ada", "item": "Analytical engine", "quantity": 1, "unit_price": 1815}'
  curl -s localhost:${port}/orders

  Its files are in examples/orders: edit one and see it reload. Ctrl-C ends it.
`);
  if (studio !== undefined && wantsBrowser()) open(studio);
}

/** Whether to open a browser: as the arguments say, else where a person has a terminal and a screen. */
function wantsBrowser() {
  if (process.argv.includes('--open')) return true;
  if (process.argv.includes('--no-open') || process.env.CI || !process.stdout.isTTY) return false;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform === 'darwin' || process.platform === 'win32' || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

function open(address) {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', address]
        : ['xdg-open', address];
  const opener = spawn(command, args, { stdio: 'ignore', detached: true });
  opener.on('error', () => console.log(`No browser could be opened; the address is ${address}`));
  opener.unref();
}
