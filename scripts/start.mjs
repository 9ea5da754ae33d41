// "npm start": set-up, build, then the example service with its tables made. "-- --open" opens a browser.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { root, setUp } from './set-up.mjs';

const supervise = createRequire(import.meta.url)('../runtime/bin/supervise.js');
const example = `${root}examples/orders`;
const program = `${root}runtime/dist/main.js`;

const unknown = process.argv.slice(2).filter((argument) => argument !== '--open');
if (unknown.length > 0) {
  console.error(`npm start: unknown argument ${unknown.join(' ')}; the only one is --open.`);
  process.exit(2);
}

const node = setUp();
const port = await freePort(3000);
const adminPort = await freePort(9090, port);
const env = { ...process.env, PORT: String(port), ADMIN_PORT: String(adminPort) };
run(`${root}scripts/build.mjs`);
run(program, 'migrate', '-c', example);
void announce();
supervise(node, [program, 'start', '-c', example], { cwd: root, env });

/** Runs one step to its end, and ends as it does when it fails. */
function run(...command) {
  const { status, signal } = spawnSync(node, command, { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exit(signal === null ? status : 1);
}

/** The preferred port when nobody listens on it, else one that the system chooses. */
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

/** Prints where things are once the service answers. */
async function announce() {
  const admin = `http://localhost:${adminPort}`;
  while (!(await isReady(`${admin}/health/ready`))) await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(`
  service  http://localhost:${port}/orders
  admin    ${admin}/health

  curl -s -X POST localhost:${port}/orders -H 'content-type: application/json' \\
    -d '{"customer": "Ada", "item": "Analytical engine", "quantity": 1, "unit_price": 1815}'
  curl -s localhost:${port}/orders

  Its files are in examples/orders: edit one and see it reload. Ctrl-C ends it.
`);
  if (process.argv.includes('--open')) open(`http://localhost:${port}/orders`);
}

async function isReady(address) {
  try {
    return (await fetch(address)).ok;
  } catch {
    return false;
  }
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
