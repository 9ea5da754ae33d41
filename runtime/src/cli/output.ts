/** Errors of a pipe whose reader has closed it. A command need not write any more then. */
const closed = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/**
 * Lets a command continue to its end when no one reads its output any more, as in `svc docs | head -1`: what it does besides
 * writing is not to be cut short. Output that cannot be written for another reason, such as a full disk, ends the process
 * with status 1, since its result is lost.
 */
export function tolerateClosedOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (closed.has(error.code ?? '')) return;
    process.stderr.write(`svc: the output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
}

/** Resolves when everything that was written has left the process, or no one reads it any more. */
export async function outputLeft(): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(left));
}

function left(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) return resolve();
    stream.once('close', resolve);
    stream.write('', () => resolve());
  });
}
