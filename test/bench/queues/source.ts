import type { Server } from '../../support/servers/server.ts';

/** A place of its own at a server, from which one side takes in one round. */
export interface Supply {
  /** Where programs find it. */
  readonly env: Readonly<Record<string, string>>;
  /** Sends the orders of these numbers. Resolves when the server has them. */
  send(from: number, count: number): Promise<void>;
  close(): Promise<void>;
}

/** A kind of server that messages are taken from. */
export interface Source {
  /** Its configuration is the file of this name in this folder. */
  readonly name: string;
  readonly title: string;
  /** Whether messages wait for a program that is not there yet. */
  readonly keeps: boolean;
  /** Messages that are taken before, and while something is measured. */
  readonly warmUp: number;
  readonly measured: number;
  /** Does the work while the server runs; `open` makes a place there. */
  serve<T>(work: (open: () => Promise<Supply>) => Promise<T>): Promise<T>;
}

/** A name that no other run uses. */
let made = 0;
export const ownName = (): string => `svc-bench-${process.pid}-${made++}`;

/** Does the work with the server that the environment names, or one that is started for it. */
export async function withServer<T>(server: Server, work: (url: string) => Promise<T>): Promise<T> {
  const given = process.env[server.variable];
  if (given !== undefined) return work(given);
  if (!server.isInstalled()) throw new Error(`${server.name} is not installed`);
  const instance = await server.start();
  try {
    return await work(instance.address);
  } finally {
    await instance.stop();
  }
}

/** Sends in pieces, each of which the server has before the next one. */
export async function inPieces(
  from: number,
  count: number,
  send: (numbers: readonly number[]) => Promise<unknown>,
): Promise<void> {
  const most = 1_000;
  for (let at = from; at < from + count; at += most)
    await send(Array.from({ length: Math.min(most, from + count - at) }, (_, index) => at + index));
}
