/**
 * Notifies the program that started this one over a channel, if one did, that the service takes messages, and that
 * everything about its start has been logged. Process managers such as pm2 wait for the same message.
 */
export function tellLauncherReady(): void {
  if (process.connected) process.send?.('ready');
}

/**
 * Ends this process as SIGTERM would when the launcher that started it is gone.
 *
 * A launcher holds a channel to the program and forwards signals to it (`bin/supervise.js`). When the channel closes
 * nothing would stop this process any more, so it drains and ends. Does nothing in a program that was started directly.
 */
export function endWithLauncher(): void {
  const supervised = process.env['SVC_SUPERVISED'] === '1';
  delete process.env['SVC_SUPERVISED'];
  if (!supervised || process.channel === undefined) return;
  process.once('disconnect', () => {
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(143);
  });
  process.channel?.unref();
}
