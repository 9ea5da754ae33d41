import { codeAfter } from './answers.ts';
import { partitionsOf } from './apis.ts';
import type { Cluster } from './cluster.ts';
import { errors } from './errors.ts';
import { type Reader, Writer } from './wire.ts';

/** Answers a producer that asks for its id: one with a name has transactions. */
export function initProducerId(body: Reader, cluster: Cluster): Buffer {
  const name = body.text();
  const newProducer = () => cluster.newProducer();
  const { producer, epoch } =
    name === '' ? { producer: newProducer(), epoch: 0 } : cluster.transactions.begin(name, newProducer);
  cluster.produced();
  return new Writer().int32(0).int16(errors.none).int64(producer).int16(epoch).finish();
}

/** Answers a producer that says where the messages of its transaction go. */
export function addPartitions(body: Reader, cluster: Cluster): Buffer {
  const [name, producer, epoch] = [body.text(), body.int64(), body.int16()];
  const results = partitionsOf(body, (number) => number).map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map((number) => {
      const partition = cluster.topics.partition(topic, number);
      const code =
        partition === undefined
          ? errors.unknownTopic
          : codeAfter(() => cluster.transactions.add(name, producer, epoch, partition));
      return { number, code };
    }),
  }));
  const writer = new Writer().int32(0);
  return writer
    .list(results, ({ topic, partitions }) =>
      writer.text(topic).list(partitions, ({ number, code }) => writer.int32(number).int16(code)),
    )
    .finish();
}

/** Answers a producer whose transaction is over. */
export function endTransaction(body: Reader, cluster: Cluster): Buffer {
  const [name, producer, epoch, isCommitted] = [body.text(), body.int64(), body.int16(), body.boolean()];
  const code = codeAfter(() => cluster.transactions.end(name, producer, epoch, isCommitted));
  cluster.produced();
  return new Writer().int32(0).int16(code).finish();
}
