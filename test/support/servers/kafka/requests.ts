import {
  codeAfter,
  codeOf,
  type Read,
  writeCommitted,
  writeFetched,
  writeJoinFailure,
  writeMetadata,
  writeVersions,
} from './answers.ts';
import { type ApiName, apis, partitionsOf } from './apis.ts';
import type { Cluster } from './cluster.ts';
import { errors } from './errors.ts';
import { Group } from './groups.ts';
import { refusals } from './refusals.ts';
import { SignIn } from './sign-in.ts';
import type { Partition } from './topics.ts';
import { addPartitions, endTransaction, initProducerId } from './transaction-requests.ts';
import { type Reader, type Request, Writer } from './wire.ts';

/** Whose connection a request came over. */
export interface Asker {
  readonly node: number;
  readonly client: string;
  readonly signIn: SignIn;
}

type Handler = (body: Reader, cluster: Cluster, asker: Asker) => Buffer | undefined | Promise<Buffer | undefined>;

/** The name of a request; undefined for one that is not known in this version. */
export function apiOf({ api, version }: Request): ApiName | undefined {
  const found = Object.entries(apis).find(([, each]) => each.key === api);
  return found?.[1].version === version ? (found[0] as ApiName) : undefined;
}

/** Answers a request. `injected` is the error that is answered in the place of the work. */
export function answer(name: ApiName, body: Reader, cluster: Cluster, asker: Asker, injected: number) {
  if (injected === errors.none) return handlers[name](body, cluster, asker);
  return refusals[name]?.(body, injected) ?? new Writer().int16(injected).finish();
}

const group = ({ groups, initialDelay }: Cluster, name: string): Group => {
  const found = groups.get(name) ?? new Group(initialDelay);
  groups.set(name, found);
  return found;
};

const handlers: Readonly<Record<ApiName, Handler>> = {
  apiVersions: () => writeVersions(errors.none),
  metadata: (body, cluster, { client }) => {
    const names = body.list(() => body.text());
    const creates = body.boolean() && cluster.topics.createsAsked;
    for (const name of names ?? [])
      if (creates && cluster.topics.find(name) === undefined) void cluster.topics.form(name);
    return writeMetadata(cluster, cluster.nodes(client), names ?? cluster.topics.names);
  },
  produce: (body, cluster, { node }) => {
    body.text();
    const acks = body.int16();
    cluster.notedAcks(acks);
    body.int32();
    const results = partitionsOf(body, (number) => ({ number, records: body.bytes() })).map(
      ({ topic, partitions }) => ({
        topic,
        partitions: partitions
          .filter(({ number }) => cluster.leavesOut?.(number) !== true)
          .map(({ number, records }) => {
            const partition = cluster.topics.partition(topic, number);
            const refused = cluster.topics.closed.has(topic) ? errors.tooLarge : cluster.refuses?.(number);
            const problem = refused || problemOf(partition, node);
            return {
              number,
              ...(problem === errors.none ? kept(partition as Partition, records) : { code: problem, offset: -1n }),
            };
          }),
      }),
    );
    cluster.produced();
    if (acks === 0) return undefined;
    const writer = new Writer();
    writer.list(results, ({ topic, partitions }) =>
      writer
        .text(topic)
        .list(partitions, ({ number, code, offset }) => writer.int32(number).int16(code).int64(offset).int64(-1n)),
    );
    return writer.int32(0).finish();
  },
  fetch: async (body, cluster, { node }) => {
    body.int32();
    const [wait, least, most] = [body.int32(), body.int32(), body.int32()];
    cluster.notedFetch({ wait, least, most });
    const isCommitted = body.int8() === readCommitted;
    const asked = partitionsOf(body, (number) => ({ number, offset: body.int64(), limit: body.int32() }));
    const until = Date.now() + wait;
    for (;;) {
      const results = asked.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ number, offset, limit }) =>
          readOf(cluster.topics.partition(topic, number), node, { number, offset, most: limit, isCommitted }),
        ),
      }));
      const flat = results.flatMap(({ partitions }) => partitions);
      const length = flat.reduce((sum, { records }) => sum + records.length, 0);
      const left = until - Date.now();
      if (length >= least || left <= 0 || flat.some(({ code }) => code !== errors.none)) return writeFetched(results);
      await cluster.whenProduced(left);
    }
  },
  listOffsets: (body, cluster, { node }) => {
    body.int32();
    const results = partitionsOf(body, (number) => ({ number, time: body.int64() })).map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map(({ number, time }) => {
        const partition = cluster.topics.partition(topic, number);
        const code = problemOf(partition, node);
        if (partition === undefined || code !== errors.none) return { number, code, offset: -1n };
        const offset = time === -1n ? partition.end : time === -2n ? partition.start : partition.since(time);
        return { number, code, offset };
      }),
    }));
    const writer = new Writer();
    return writer
      .list(results, ({ topic, partitions }) =>
        writer
          .text(topic)
          .list(partitions, ({ number, code, offset }) => writer.int32(number).int16(code).int64(-1n).int64(offset)),
      )
      .finish();
  },
  findCoordinator: (body, cluster, { client }) => {
    body.text();
    const { id, host, port } = cluster.coordinator(client);
    return new Writer().int32(0).int16(errors.none).text(undefined).int32(id).text(host).int32(port).finish();
  },
  joinGroup: async (body, cluster) => {
    const name = body.text();
    const [session, rebalance, member, instance] = [body.int32(), body.int32(), body.text(), body.text()];
    body.text();
    const protocols = new Map(body.list(() => [body.text(), body.bytes()] as const));
    if (member === '' && instance === '')
      return writeJoinFailure(errors.memberIdRequired, group(cluster, name).expect());
    try {
      const joined = await group(cluster, name).join({ member, instance, session, rebalance, protocols });
      const writer = new Writer().int32(0).int16(errors.none).int32(joined.generation);
      writer.text(joined.protocol).text(joined.leader).text(joined.member);
      return writer
        .list(joined.members, ({ id, instance, metadata }) =>
          writer
            .text(id)
            .text(instance === '' ? undefined : instance)
            .bytes(metadata),
        )
        .finish();
    } catch (error) {
      return writeJoinFailure(codeOf(error));
    }
  },
  syncGroup: async (body, cluster) => {
    const [name, generation, id, instance] = [body.text(), body.int32(), body.text(), body.text()];
    const assignments = new Map(body.list(() => [body.text(), body.bytes()] as const));
    try {
      const assignment = await group(cluster, name).sync({ id, instance }, generation, assignments);
      return new Writer().int32(0).int16(errors.none).bytes(assignment).finish();
    } catch (error) {
      return new Writer().int32(0).int16(codeOf(error)).bytes(Buffer.alloc(0)).finish();
    }
  },
  heartbeat: (body, cluster) => {
    const [name, generation, id, instance] = [body.text(), body.int32(), body.text(), body.text()];
    const code = codeAfter(() => group(cluster, name).heartbeat({ id, instance }, generation));
    return new Writer().int32(0).int16(code).finish();
  },
  describeGroups: (body, cluster) => {
    const names = body.list(() => body.text()) ?? [];
    const writer = new Writer();
    return writer
      .list(names, (name) => {
        const { members } = group(cluster, name);
        writer
          .int16(errors.none)
          .text(name)
          .text(members.length === 0 ? 'Empty' : 'Stable')
          .text('consumer')
          .text('');
        return writer.list(members, (id) =>
          writer.text(id).text('').text('').bytes(Buffer.alloc(0)).bytes(Buffer.alloc(0)),
        );
      })
      .finish();
  },
  leaveGroup: (body, cluster) => {
    const name = body.text();
    const leaving = body.list(() => ({ id: body.text(), instance: body.text() })) ?? [];
    const writer = new Writer().int32(0).int16(errors.none);
    return writer
      .list(leaving, ({ id, instance }) => {
        const code = codeAfter(() => group(cluster, name).leave(id));
        writer.text(id).text(instance).int16(code);
      })
      .finish();
  },
  offsetCommit: (body, cluster) => {
    const [name, generation, member] = [body.text(), body.int32(), body.text()];
    body.int64();
    const asked = partitionsOf(body, (number) => {
      const offset = body.int64();
      return { number, offset, metadata: body.text() };
    });
    const offsets = new Map(
      asked.flatMap(({ topic, partitions }) =>
        partitions.map(({ number, offset, metadata }) => [`${topic}/${number}`, { offset, metadata }] as const),
      ),
    );
    let code: number = errors.none;
    try {
      group(cluster, name).commit(member, generation, offsets);
    } catch (error) {
      code = codeOf(error);
    }
    return writeCommitted(asked, code);
  },
  offsetFetch: (body, cluster) => {
    const { offsets } = group(cluster, body.text());
    const asked = partitionsOf(body, (number) => number);
    const writer = new Writer();
    return writer
      .list(asked, ({ topic, partitions }) =>
        writer.text(topic).list(partitions, (number) => {
          const { offset, metadata } = offsets.get(`${topic}/${number}`) ?? { offset: -1n, metadata: '' };
          return writer.int32(number).int64(offset).text(metadata).int16(errors.none);
        }),
      )
      .finish();
  },
  initProducerId,
  addPartitionsToTxn: addPartitions,
  endTxn: endTransaction,
  createTopics: async (body, { topics }) => {
    const asked =
      body.list(() => {
        const [name, partitions] = [body.text(), body.int32()];
        body.int16();
        body.list(() => [body.int32(), body.list(() => body.int32())]);
        body.list(() => [body.text(), body.text()]);
        return { name, partitions };
      }) ?? [];
    const results = await Promise.all(
      asked.map(async ({ name, partitions }) => {
        const isThere = topics.find(name) !== undefined;
        if (!isThere) await topics.form(name, partitions < 0 ? undefined : partitions);
        return { name, isThere };
      }),
    );
    const writer = new Writer().int32(0);
    return writer
      .list(results, ({ name, isThere }) =>
        writer
          .text(name)
          .int16(isThere ? errors.topicExists : errors.none)
          .text(isThere ? `Topic '${name}' already exists.` : undefined),
      )
      .finish();
  },
  describeConfigs: (body, { topics }) => {
    const asked =
      body.list(() => {
        const [type, name] = [body.int8(), body.text()];
        body.list(() => body.text());
        return { type, name };
      }) ?? [];
    const writer = new Writer().int32(0);
    return writer
      .list(asked, ({ type, name }) => {
        const policy = topics.compacted.has(name) ? 'compact' : 'delete';
        return writer
          .int16(topics.find(name) === undefined ? errors.unknownTopic : errors.none)
          .text(undefined)
          .int8(type)
          .text(name)
          .list([policy], (value) => writer.text('cleanup.policy').text(value).int8(0).int8(0).int8(0));
      })
      .finish();
  },
  saslHandshake: (body, _, { signIn }) => {
    const writer = new Writer();
    try {
      signIn.begin(body.text());
      writer.int16(errors.none);
    } catch (error) {
      writer.int16(codeOf(error));
    }
    return writer.list(SignIn.mechanisms, (mechanism) => writer.text(mechanism)).finish();
  },
  saslAuthenticate: (body, _, { signIn }) => {
    try {
      return new Writer().int16(errors.none).text(undefined).bytes(signIn.step(body.bytes())).finish();
    } catch (error) {
      return new Writer().int16(codeOf(error)).text('sign-in failed').bytes(Buffer.alloc(0)).finish();
    }
  },
};

/** Where records are kept. */
function kept(partition: Partition, records: Buffer): { readonly code: number; readonly offset: bigint } {
  try {
    return { code: errors.none, offset: partition.append(records) };
  } catch (error) {
    return { code: codeOf(error), offset: -1n };
  }
}

/** Of a fetch that reads no message of a transaction that has not ended. */
const readCommitted = 1;

/** Why a partition cannot be asked at this broker. */
function problemOf(partition: Partition | undefined, node: number): number {
  if (partition === undefined) return errors.unknownTopic;
  return partition.leader === node ? errors.none : errors.notLeader;
}

interface Wanted {
  readonly number: number;
  readonly offset: bigint;
  readonly most: number;
  readonly isCommitted: boolean;
}

function readOf(partition: Partition | undefined, node: number, { number, offset, most, isCommitted }: Wanted): Read {
  const code = problemOf(partition, node);
  if (partition === undefined || code !== errors.none) return { number, code, end: -1n, records: Buffer.alloc(0) };
  const { start, end } = partition;
  if (offset < start || offset > end)
    return { number, code: errors.offsetOutOfRange, end: -1n, records: Buffer.alloc(0) };
  const stable = partition.transactions.stable(end);
  const records = partition.read(offset, most, isCommitted ? stable : end);
  const aborted = isCommitted ? partition.transactions.abortedFrom(offset) : undefined;
  return { number, code, end, stable, aborted, records };
}
