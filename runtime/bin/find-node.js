'use strict';

// Runs on whatever Node the machine has, so it is written for old ones: it must be able to report that they are too old.

const childProcess = require('child_process');
const fs = require('fs');
const path = require('path');

/** The oldest major version that the program runs on. */
const MINIMUM = 24;

function majorOf(version) {
  return parseInt(String(version).replace(/^v/, ''), 10);
}

function versionOf(executable) {
  try {
    return String(childProcess.execFileSync(executable, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] })).trim();
  } catch (_error) {
    return undefined;
  }
}

/** The name of the package that carries Node for this kind of machine. */
function packageName() {
  return 'node-' + (process.platform === 'win32' ? 'win' : process.platform) + '-' + process.arch;
}

/** The Node that was installed beside this program as a package; undefined when no package was installed. */
function packagedNode() {
  let folder = __dirname;
  for (;;) {
    const root = path.join(folder, 'node_modules', packageName(), 'bin');
    const executable = path.join(root, process.platform === 'win32' ? 'node.exe' : 'node');
    if (fs.existsSync(executable)) return executable;
    const parent = path.dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
}

/**
 * Finds a Node that is new enough: the one that runs this, the one that SVC_NODE names, the packaged one.
 * Answers `{ executable }`, where `executable` is `process.execPath` when nothing else is needed, or `{ problem }`.
 */
function findNode() {
  if (majorOf(process.version) >= MINIMUM) return { executable: process.execPath };
  const named = process.env.SVC_NODE;
  if (named) {
    const version = versionOf(named);
    if (version !== undefined && majorOf(version) >= MINIMUM) return { executable: named };
    return {
      problem:
        'SVC_NODE names ' +
        named +
        (version === undefined ? ', which cannot be run.' : ', which is ' + version + '.') +
        ' Node.js ' +
        MINIMUM +
        ' or later is needed.',
    };
  }
  const packaged = packagedNode();
  if (packaged !== undefined) return { executable: packaged };
  return {
    problem:
      'Node.js ' +
      MINIMUM +
      ' or later is needed; this is ' +
      process.version +
      ' (' +
      process.execPath +
      ').\nInstall it from https://nodejs.org, or name one you have: SVC_NODE=/path/to/node',
  };
}

module.exports = findNode;
