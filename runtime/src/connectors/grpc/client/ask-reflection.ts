import type * as Grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { decodeFile, type FileDescriptor } from '../../../platform/formats/protobuf/descriptor-types.ts';
import { protoText } from '../../../platform/formats/protobuf/proto-text.ts';
import { type ReadSchema, readSchema } from '../../../platform/formats/protobuf/schema/read.ts';
import { questionBytes, type ReflectionAnswer, readAnswer } from '../reflection/messages.ts';
import { reflectionPath, reflectionServices } from '../reflection/paths.ts';
import { statusCodes } from '../status.ts';

/** Services that are asked for, files that they need, and bytes of all of these. */
const mostServices = 1_000;
const mostFiles = 1_000;
const mostBytes = 16 * 1024 * 1024;

const asIs = (bytes: Buffer) => bytes;

/**
 * What a server says by reflection that it has, as if files said it: `grpc.reflection.v1`, or `v1alpha` where it does not
 * have that. Rejects with an Error that says why nothing is known. `deadline` is a time of the clock in milliseconds.
 */
export async function askReflection(
  client: Grpc.Client,
  metadata: Grpc.Metadata,
  deadline: number,
): Promise<ReadSchema> {
  let texts: ReadonlyMap<string, string> | undefined;
  for (const service of reflectionServices) {
    const questions = new Questions(client, reflectionPath(service), metadata, deadline);
    try {
      texts = await textsOf(questions);
      break;
    } catch (error) {
      if ((error as Grpc.ServiceError).code !== statusCodes.UNIMPLEMENTED) throw error;
    } finally {
      questions.end();
    }
  }
  if (texts === undefined) throw new Error('it offers no reflection: name its files in proto_path');
  const known = texts;
  const schema = readSchema(
    { proto_files: [...known.keys()] },
    {
      list: () => [],
      read: (path) => {
        const text = known.get(path);
        if (text === undefined) throw new Error(`"${path.slice(0, 100)}" is not among its files`);
        return text;
      },
    },
  );
  const [problem] = schema.problems;
  if (problem === undefined) return schema;
  throw new Error(`its definitions cannot be used: ${problem.file ?? ''} ${problem.message}`.slice(0, 500));
}

/** The files of every service of a server, as texts by their names. */
async function textsOf(questions: Questions): Promise<ReadonlyMap<string, string>> {
  const listed = await questions.ask('services', '*');
  if (listed.kind !== 'services') throw new Error(`it does not say its services${reasonOf(listed)}`);
  const services = listed.services.filter((name) => !reflectionServices.includes(name));
  if (services.length > mostServices) throw new Error(`it has more than ${mostServices} services: name its files`);
  const texts = new Map<string, string>();
  const wanted: string[] = [];
  let bytes = 0;
  const take = (answer: ReflectionAnswer) => {
    if (answer.kind !== 'files') return;
    for (const file of answer.files) {
      bytes += file.length;
      if (bytes > mostBytes) throw new Error('its definitions are larger than 16 MiB: name its files');
      const descriptor = descriptorOf(file);
      if (texts.has(descriptor.name) || isCommon(descriptor.name)) continue;
      if (texts.size >= mostFiles) throw new Error(`its definitions are more than ${mostFiles} files: name its files`);
      texts.set(descriptor.name, protoText(descriptor));
      wanted.push(...descriptor.dependency);
    }
  };
  for (const service of services) take(await questions.ask('symbol', service));
  const asked = new Set<string>();
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (texts.has(name) || isCommon(name) || asked.has(name)) continue;
    asked.add(name);
    take(await questions.ask('file', name));
  }
  if (texts.size === 0) throw new Error('it says no definitions by reflection');
  return texts;
}

function descriptorOf(bytes: Uint8Array): FileDescriptor {
  try {
    return decodeFile(bytes);
  } catch (cause) {
    throw new Error('it answers what is not a file of definitions', { cause });
  }
}

/** Google's own definitions, which are read as this program has them. */
function isCommon(name: string): boolean {
  return protobuf.common.get(name)?.nested !== undefined;
}

function reasonOf(answer: ReflectionAnswer): string {
  return answer.kind === 'error' ? `: ${answer.message}` : '';
}

/** One stream of questions, which are answered one after another. */
class Questions {
  readonly #call: Grpc.ClientDuplexStream<Buffer, Buffer>;
  #waiting: PromiseWithResolvers<Buffer> | undefined;
  #failure: Error | undefined;

  constructor(client: Grpc.Client, path: string, metadata: Grpc.Metadata, deadline: number) {
    this.#call = client.makeBidiStreamRequest(path, asIs, asIs, metadata, { deadline });
    this.#call.on('data', (answer: Buffer) => {
      this.#waiting?.resolve(answer);
      this.#waiting = undefined;
    });
    this.#call.on('error', (error: Error) => this.#fail(error));
    this.#call.on('end', () => this.#fail(new Error('it ended the answers of its reflection')));
  }

  async ask(kind: 'file' | 'symbol' | 'services', name: string): Promise<ReflectionAnswer> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting = Promise.withResolvers<Buffer>();
    const { promise } = this.#waiting;
    this.#call.write(questionBytes(kind, name));
    const bytes = await promise;
    try {
      return readAnswer(bytes);
    } catch (cause) {
      throw new Error('it answers what is not an answer of reflection', { cause });
    }
  }

  end(): void {
    this.#call.cancel();
  }

  #fail(error: Error): void {
    // A stream that ends has its status after that.
    if (this.#failure === undefined || 'code' in error) this.#failure = error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
