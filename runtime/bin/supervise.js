'use strict';

// Runs on whatever Node the machine has; see find-node.js.

const childProcess = require('child_process');
const os = require('os');

/** The same signal again within this many milliseconds is the same event, sent twice (by a terminal and by npm). */
const SAME_EVENT = 250;

const windows = process.platform === 'win32';

/**
 * Runs a program in this process's place and ends as it ends: its exit status, or 128 + n when signal n ended it.
 *
 * Signals reach it in one way. It is in a process group of its own, so what a terminal sends to a whole group
 * arrives here only and is forwarded once. It holds a channel to this process and is asked to drain (by its own code, see
 * `SVC_SUPERVISED`) when the channel closes, whatever ended this process. On Windows the console itself signals every
 * program, so nothing is forwarded there. `options.ready` is called when a service reports that it takes messages.
 */
function supervise(command, args, options) {
  const environment = Object.assign({}, (options && options.env) || process.env, { SVC_SUPERVISED: '1' });
  const child = childProcess.spawn(command, args, {
    cwd: options && options.cwd,
    env: environment,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: !windows,
  });
  const last = {};
  if (options && options.ready) {
    child.on('message', (message) => {
      if (message === 'ready') options.ready();
    });
  }

  function pass(signal) {
    // Not the time of day, which may be set back.
    const now = process.uptime() * 1000;
    const again = last[signal] !== undefined && now - last[signal] < SAME_EVENT;
    last[signal] = now;
    if (!again && !windows) child.kill(signal);
  }

  ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'].forEach((signal) => {
    if (windows && signal !== 'SIGINT' && signal !== 'SIGTERM' && signal !== 'SIGHUP') return;
    process.on(signal, () => {
      pass(signal);
    });
  });
  if (!windows) {
    process.on('SIGTSTP', () => {
      child.kill('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    });
    process.on('SIGCONT', () => {
      child.kill('SIGCONT');
    });
  }
  child.on('error', (error) => {
    process.stderr.write('svc: cannot run ' + command + ': ' + error.message + '\n');
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    process.exit(signal ? 128 + ((os.constants.signals || {})[signal] || 0) : code);
  });
}

module.exports = supervise;
