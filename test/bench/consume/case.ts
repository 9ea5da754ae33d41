import type { Benchmark } from '../benchmark.ts';
import { drain } from '../drain.ts';
import { channels } from '../queues/channels.ts';
import { queueFiles } from '../queues/files.ts';
import { jetstream } from '../queues/jetstream.ts';
import { kafka } from '../queues/kafka.ts';
import { mqtt } from '../queues/mqtt.ts';
import { rabbitmq } from '../queues/rabbitmq.ts';
import type { Source } from '../queues/source.ts';
import { handWritten, service } from '../side.ts';

const folder = import.meta.dirname;

/** A flow without work takes what a program takes that reads each message and acknowledges it. */
export const consume: readonly Benchmark[] = [rabbitmq, jetstream, kafka, mqtt, channels].map((source: Source) => ({
  name: `consume-${source.name}`,
  title: `Taken from ${source.title} without further work, beside the client library`,
  run: (conditions) =>
    source.serve(async (open) => [
      await drain(
        {
          name: `taken: ${source.name}`,
          source,
          open,
          ours: (env) => service(folder, { env, files: queueFiles('service', source.name), hasServer: false }),
          theirs: (env) => handWritten(folder, { env: { ...env, SOURCE: source.name } }),
        },
        conditions,
      ),
    ]),
}));
