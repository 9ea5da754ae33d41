let isLaunched = false;

/** Tells the launcher that the service takes messages, and that everything has been logged that is said of its start. */
export function tellLauncherReady(): void {
  if (isLaunched && process.connected) process.send?.('ready');
}

/**
 * Ends this process as SIGTERM would when the launcher that started it is gone.
 *
 * A launcher holds a channel to the program and passes signals on to it (`bin/supervise.js`). When the channel closes
 * nobody would stop this process any more, so it drains and ends. Does nothing in a program that was started directly.
 */
export function endWithLauncher(): void {
  const supervised = process.env['SVC_SUPERVISED'] === '1';
  delete process.env['SVC_SUPERVISED'];
  if (!supervised || process.channel === undefined) return;
  isLaunched = true;
  process.once('disconnect', () => {
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(143);
  });
  process.channel?.unref();
}
