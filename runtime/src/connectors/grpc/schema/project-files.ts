import { Failure } from '../../../foundation/errors/failure.ts';
import { projectText } from '../../../platform/formats/project-text.ts';
import { protoFilesIn } from '../../../platform/formats/protobuf/proto-files.ts';
import { methodsOf, type RpcMethod } from '../../../platform/formats/protobuf/schema/methods.ts';
import { type ProtoPlace, type ReadSchema, readSchema } from '../../../platform/formats/protobuf/schema/read.ts';

/** What files define, and the methods among it. */
export interface ReadMethods {
  readonly methods: readonly RpcMethod[];
  readonly definitions: ReadSchema;
}

/** The methods that the files of a project define. Throws a Failure that names the file and the line of what is wrong. */
export function readMethods(directory: string, place: ProtoPlace, connector: string): ReadMethods {
  const definitions = readSchema(place, {
    read: (path) => projectText(directory, path),
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
