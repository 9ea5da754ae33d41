// "npm run studio [-- DIR]": set-up, build, then the studio in Electron, which fetches its program on first use.
// "npm run studio:package [-- OPTIONS of electron-builder]": an installer for the system this runs on, in studio/dist/packages.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { root, setUp } from './set-up.mjs';

const node = setUp();
run(node, `${root}scripts/build.mjs`);
if (!existsSync(`${root}studio/dist/renderer/index.html`)) {
  console.error('studio: its page was not built.');
  process.exit(1);
}
const [first, ...rest] = process.argv.slice(2);
if (first === '--package') makePackage(rest);
else openStudio(process.argv.slice(2));

function openStudio(words) {
  run(node, `${root}node_modules/electron/cli.js`, `${root}studio/dist/main.js`, ...words);
}

/** Services run in a Node of their own, so the one that runs this is packed too; see `studio/src/main/main.ts`. */
function makePackage(words) {
  const folder = `${root}studio/dist/node`;
  mkdirSync(folder, { recursive: true });
  copyFileSync(node, `${folder}/${process.platform === 'win32' ? 'node.exe' : 'node'}`);
  const builder = [
    '--yes',
    'electron-builder@26.17.0',
    '--config',
    'electron-builder.yml',
    '--publish',
    'never',
    ...words,
  ];
  const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';
  end(spawnSync(npx, builder, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }));
}

function run(command, ...args) {
  end(spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, SVC_NODE: node } }));
}

/** Ends as a step does when it fails. */
function end({ status, signal, error }) {
  if (error !== undefined) console.error(`studio: ${error.message}`);
  if (status !== 0) process.exit(signal === null ? (status ?? 1) : 1);
}
