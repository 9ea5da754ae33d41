import { apis } from './apis.ts';
import type { Cluster, Node } from './cluster.ts';
import { errors, ProtocolError } from './errors.ts';
import type { Aborted } from './partition-transactions.ts';
import { Writer } from './wire.ts';

/** The code of an error of the protocol. Throws any other one. */
export const codeOf = (error: unknown): number => {
  if (error instanceof ProtocolError) return error.code;
  throw error;
};

/** What one partition is answered with. */
export interface Read {
  readonly number: number;
  readonly code: number;
  readonly end: bigint;
  /** The offset up to which every transaction has ended; `end` when absent. */
  readonly stable?: bigint;
  /** Transactions that are passed over; absent for one who reads those that have not ended too. */
  readonly aborted?: readonly Aborted[] | undefined;
  readonly records: Buffer;
}

export function writeFetched(
  results: readonly { readonly topic: string; readonly partitions: readonly Read[] }[],
): Buffer {
  const writer = new Writer().int32(0);
  return writer
    .list(results, ({ topic, partitions }) =>
      writer.text(topic).list(partitions, ({ number, code, end, stable = end, aborted, records }) => {
        writer.int32(number).int16(code).int64(end).int64(stable);
        if (aborted === undefined) writer.int32(-1);
        else writer.list(aborted, ({ producer, first }) => writer.int64(producer).int64(first));
        writer.bytes(records);
      }),
    )
    .finish();
}

export function writeCommitted(
  asked: readonly { readonly topic: string; readonly partitions: readonly { readonly number: number }[] }[],
  code: number,
): Buffer {
  const writer = new Writer();
  return writer
    .list(asked, ({ topic, partitions }) =>
      writer.text(topic).list(partitions, ({ number }) => writer.int32(number).int16(code)),
    )
    .finish();
}

export function writeJoinFailure(code: number, member = ''): Buffer {
  return new Writer().int32(0).int16(code).int32(-1).text('').text('').text(member).int32(0).finish();
}

/** The versions that there are of each request. */
export function writeVersions(code: number): Buffer {
  const writer = new Writer().int16(code);
  return writer
    .list(Object.values(apis), ({ key, version }) => writer.int16(key).int16(version).int16(version))
    .finish();
}

/** The code of what some work comes to. */
export function codeAfter(work: () => void): number {
  try {
    work();
    return errors.none;
  } catch (error) {
    return codeOf(error);
  }
}

export function writeMetadata(cluster: Cluster, nodes: readonly Node[], names: readonly string[]): Buffer {
  const writer = new Writer().int32(0);
  writer.list(nodes, ({ id, host, port }) => writer.int32(id).text(host).int32(port).text(undefined));
  writer.text('stand-in').int32(nodes[0]?.id ?? -1);
  return writer
    .list(names, (name) => {
      const partitions = cluster.topics.find(name);
      writer
        .int16(partitions === undefined ? errors.unknownTopic : errors.none)
        .text(name)
        .boolean(false);
      writer.list([...(partitions ?? []).entries()], ([number, { leader }]) => {
        writer.int16(errors.none).int32(number).int32(leader);
        writer.list([leader], (id) => writer.int32(id)).list([leader], (id) => writer.int32(id));
      });
    })
    .finish();
}
