import { Failure } from '../../../foundation/errors/failure.ts';
import type { Exit } from '../../../platform/processes/exit.ts';
import { exitFailure } from '../../../platform/processes/failure.ts';

/** The status with which OpenSSH says that it failed itself. A program of the other side may have it too. */
const ownStatus = 255;

/** What OpenSSH says when a connection that was made is lost. */
const lost =
  /^(?:client_loop: |Connection (?:to|closed|reset) |ssh_dispatch_run_fatal: |Timeout, server |packet_write_|Read from |Write failed: |Bad packet length|Corrupted )/m;

/** Why a program of the other side failed by the way `ssh` ended. Whether it has begun is known by its mark. */
export function sshFailure(host: string, exit: Exit, stderr: string, hasBegun: boolean): Failure | undefined {
  const said = stderr === '' ? `ssh ended with status ${exit.status ?? exit.signal}` : stderr;
  if (!hasBegun && exit.status !== 0) {
    if (exit.status === ownStatus) return new Failure('connector_refused', `cannot reach ${host}: ${said}`);
    return exitFailure(exit, stderr);
  }
  if (!hasBegun)
    return new Failure('connector_failed', `${host} did not run the command: its login shell is not usable`);
  if (exit.status !== ownStatus || !lost.test(stderr)) return exitFailure(exit, stderr);
  return new Failure(
    'outcome_unknown',
    `the connection to ${host} was lost while the command ran; whether it was carried out is not known: ${said}`,
  );
}
