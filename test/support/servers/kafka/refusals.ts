import { writeCommitted, writeFetched, writeJoinFailure } from './answers.ts';
import { partitionsOf } from './apis.ts';
import { type Reader, Writer } from './wire.ts';

/** Answers with an error alone; requests that name partitions are answered for each of them. */
export const refusals: Readonly<Record<string, (body: Reader, code: number) => Buffer>> = {
  produce: (body, code) => {
    body.text();
    body.int16();
    body.int32();
    const asked = partitionsOf(body, (number) => {
      body.bytes();
      return number;
    });
    const writer = new Writer();
    writer.list(asked, ({ topic, partitions }) =>
      writer.text(topic).list(partitions, (number) => writer.int32(number).int16(code).int64(-1n).int64(-1n)),
    );
    return writer.int32(0).finish();
  },
  fetch: (body, code) => {
    for (const _ of [0, 1, 2, 3]) body.int32();
    body.int8();
    const asked = partitionsOf(body, (number) => {
      body.int64();
      body.int32();
      return { number, code, end: -1n, records: Buffer.alloc(0) };
    });
    return writeFetched(asked);
  },
  offsetCommit: (body, code) => {
    body.text();
    body.int32();
    body.text();
    body.int64();
    const asked = partitionsOf(body, (number) => {
      body.int64();
      body.text();
      return { number };
    });
    return writeCommitted(asked, code);
  },
  offsetFetch: (body, code) => {
    body.text();
    const asked = partitionsOf(body, (number) => number);
    const writer = new Writer();
    return writer
      .list(asked, ({ topic, partitions }) =>
        writer.text(topic).list(partitions, (number) => writer.int32(number).int64(-1n).text('').int16(code)),
      )
      .finish();
  },
  initProducerId: (_, code) => new Writer().int32(0).int16(code).int64(-1n).int16(-1).finish(),
  joinGroup: (_, code) => writeJoinFailure(code),
  syncGroup: (_, code) => new Writer().int32(0).int16(code).bytes(Buffer.alloc(0)).finish(),
  heartbeat: (_, code) => new Writer().int32(0).int16(code).finish(),
  leaveGroup: (_, code) => new Writer().int32(0).int16(code).int32(0).finish(),
  findCoordinator: (_, code) => new Writer().int32(0).int16(code).text(undefined).int32(-1).text('').int32(-1).finish(),
};
