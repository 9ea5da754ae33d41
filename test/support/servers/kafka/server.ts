import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../free-port.ts';
import { Jars } from '../brought/jars.ts';
import { probe } from '../probe.ts';
import { findProgram, makeFolder, startProgram } from '../program.ts';
import type { RunningServer, Server } from '../server.ts';

const version = '4.4.0';
/** Listeners that the broker announces at another port, for proxies between it and its clients. */
const proxied = 4;

/** As tests need it: members that are missed soon, and groups that come together soon. */
const testSettings = ['group.min.session.timeout.ms=500', 'group.initial.rebalance.delay.ms=100'];

const jars = new Jars({
  name: 'kafka',
  version,
  artifacts: [`org.apache.kafka:kafka_2.13:${version}`, 'org.slf4j:slf4j-simple:1.7.36'],
});

/** The request for the versions of requests (ApiVersions, version 0), which every broker answers. */
const versionsRequest = Buffer.from([0, 0, 0, 14, 0, 18, 0, 0, 0, 0, 0, 7, 0, 4, ...Buffer.from('test')]);

/** The length of an answer, then the number of the request. */
const answers = (address: string): Promise<boolean> => probe(address, versionsRequest, /^[\0-\xff]{4}\0\0\0\x07\0\0/);

/** What is in an address: `kafka://host:port?proxied=PORT:ANNOUNCED,…`. */
export function brokersIn(address: string) {
  const { host, searchParams } = new URL(address);
  const pairs = searchParams.get('proxied')?.split(',') ?? [];
  const [listening, announced] = [0, 1].map((at) => pairs.map((pair) => Number(pair.split(':')[at])));
  return { brokers: host, listening: listening as number[], announced: announced as number[] };
}

/** Starts one broker of its own. `settings` are lines of its properties, beside those that every one has here. */
export async function startKafka(settings: readonly string[] = []): Promise<RunningServer> {
  const folder = makeFolder('kafka');
  const [port, control, ...others] = (await Promise.all(Array.from({ length: 2 + 2 * proxied }, freePort))) as [
    number,
    number,
    ...number[],
  ];
  const pairs = Array.from({ length: proxied }, (_, at) => [others[2 * at], others[2 * at + 1]] as const);
  const names = ['CONTROLLER', 'PLAINTEXT', ...pairs.map((_, at) => `PROXIED${at}`)];
  const own = `PLAINTEXT://127.0.0.1:${port}`;
  const at = (which: 0 | 1) => pairs.map((pair, number) => `PROXIED${number}://127.0.0.1:${pair[which]}`);
  const properties = [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${control}`,
    `listeners=${[own, `CONTROLLER://127.0.0.1:${control}`, ...at(0)].join()}`,
    `advertised.listeners=${[own, ...at(1)].join()}`,
    'controller.listener.names=CONTROLLER',
    'inter.broker.listener.name=PLAINTEXT',
    `listener.security.protocol.map=${names.map((name) => `${name}:PLAINTEXT`).join()}`,
    `log.dirs=${folder}/data`,
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=1',
    ...settings,
  ];
  const file = join(folder, 'server.properties');
  writeFileSync(file, `${properties.join('\n')}\n`);
  const java = findProgram('java') as string;
  const libraries = await jars.classPath();
  const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
  const format = ['kafka.tools.StorageTool', 'format', '-t', 'e2GU8pC2QrK2IiTcNpX3TQ', '-c', file];
  await promisify(execFile)(java, [...quick, '-cp', libraries, ...format]);
  return startProgram({
    program: java,
    args: ['-Xmx512m', ...quick, '-cp', libraries, 'kafka.Kafka', file],
    folder,
    address: `kafka://127.0.0.1:${port}?proxied=${pairs.map((pair) => pair.join(':')).join()}`,
    signal: 'SIGTERM',
    answers,
  });
}

/** A broker of Apache Kafka. */
export const kafka: Server = {
  name: 'Kafka',
  variable: 'TEST_KAFKA_URL',
  usualAddress: 'kafka://127.0.0.1:9092',
  packages: ['default-jdk-headless', 'maven'],
  isInstalled: () => jars.isInstalled,
  answers,
  start: () => startKafka(testSettings),
};
