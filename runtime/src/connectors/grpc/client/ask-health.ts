import type * as Grpc from '@grpc/grpc-js';
import { checkPath, healthStatusOf, servingStatus, wholeServer } from '../health-messages.ts';
import { statusCodes } from '../status.ts';

const asIs = (bytes: Buffer) => bytes;
/** What says that no server answered. */
const unanswered: ReadonlySet<number> = new Set([
  statusCodes.UNAVAILABLE,
  statusCodes.DEADLINE_EXCEEDED,
  statusCodes.CANCELLED,
]);

/**
 * Asks a server whether it serves. Resolves when it does; also when it answers that it has no service of health, or wants
 * credentials for it: it is there. Rejects with the reason when it does not answer in time, or says that it does
 * not serve. `deadline` is in milliseconds since 1970.
 */
export function askHealth(client: Grpc.Client, metadata: Grpc.Metadata, deadline: number): Promise<void> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(checkPath, asIs, asIs, wholeServer, metadata, { deadline }, (error, answer) => {
      if (error !== null && unanswered.has(error.code)) reject(error);
      else if (answer !== undefined && healthStatusOf(answer) === servingStatus.notServing)
        reject(new Error('it says that it does not serve'));
      else resolve();
    });
  });
}
