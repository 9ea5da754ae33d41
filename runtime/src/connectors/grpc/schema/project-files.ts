import { isUtf8 } from 'node:buffer';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Failure } from '../../../errors/failure.ts';
import { protoFilesIn } from '../../../formats/protobuf/proto-files.ts';
import { methodsOf, type RpcMethod } from './methods.ts';
import { type ProtoPlace, type ReadSchema, readSchema } from './read.ts';

/** Bytes of the largest file that is read. */
const largestFile = 1024 * 1024;

/** What files define, and the methods among it. */
export interface ReadMethods {
  readonly methods: readonly RpcMethod[];
  readonly definitions: ReadSchema;
}

/** The methods that the files of a project define. Throws a Failure that names the file and the line of what is wrong. */
export function readMethods(directory: string, place: ProtoPlace, connector: string): ReadMethods {
  const definitions = readSchema(place, {
    read: (path) => readText(directory, path),
    list: (folder) => protoFilesIn(directory, folder),
  });
  const { problems, texts } = definitions;
  const [problem] = problems;
  if (problem === undefined) return { methods: methodsOf(definitions.root), definitions };
  const { file, message, start } = problem;
  const line = file === undefined ? '' : `${file}:${(texts.get(file) ?? '').slice(0, start).split('\n').length}: `;
  throw new Failure('internal', `the definitions of connector "${connector}" cannot be used: ${line}${message}`, {
    at: { connector },
    retriable: false,
  });
}

/** Links that lead out of the directory are not followed. */
function readText(directory: string, path: string): string {
  const problem = (says: string) => new Error(`"${path}" cannot be read: ${says}`);
  let real: string;
  try {
    real = realpathSync(join(directory, path));
  } catch {
    throw problem('it does not exist');
  }
  const root = realpathSync(directory);
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) throw problem('it is outside of the project');
  const stats = statSync(real);
  if (!stats.isFile()) throw problem('it is not a file');
  if (stats.size > largestFile) throw problem('it is larger than 1 MiB');
  const bytes = readFileSync(real);
  if (!isUtf8(bytes)) throw problem('it is not UTF-8 text');
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}
