import type { FileCheck, Published, PublishedProblem } from '../../../foundation/contracts/published.ts';
import { parseMethodName } from '../../../platform/formats/protobuf/schema/method-name.ts';
import { findMethod, isMethod, methodsOf } from '../../../platform/formats/protobuf/schema/methods.ts';
import { asksServer, type ProtoPlace, readSchema } from '../../../platform/formats/protobuf/schema/read.ts';

/**
 * What the `.proto` files say, and whether they have the methods that flows answer or call. Methods that stream in both
 * directions are not for flows.
 */
export const checkProtoFiles: FileCheck = (published, read, list) => checkFlows(published, read, list, 'answer');

/** The same of a client, whose flows begin with messages of streams. */
export const checkClientFiles: FileCheck = (published, read, list) => checkFlows(published, read, list, 'follow');

function checkFlows(...[published, read, list, does]: [...Parameters<FileCheck>, 'answer' | 'follow']) {
  const place = published.config as unknown as ProtoPlace & { readonly reflection?: boolean };
  if (does === 'follow' && asksServer(place, list)) {
    if (place.proto_path === undefined && place.proto_files === undefined) return [];
    const message = 'reflection = true asks the server, and the files of proto_path and proto_files are not read';
    return [{ code: 'contradiction', message, at: wordOf(published), help: 'Remove one of them.' }];
  }
  const { root, problems } = readSchema(place, { read, list });
  if (problems.length > 0)
    return problems.map(({ code, message, file, start, end, help }) => {
      const at = file === undefined ? wordOf(published) : ({ of: 'file', path: file, start, end } as const);
      return { code, message, at, help };
    });
  const methods = methodsOf(root);
  const check = (operation: string | undefined, does: 'answer' | 'follow' | 'call', at: PublishedProblem['at']) => {
    if (operation === undefined || parseMethodName(operation) === undefined) return [];
    const found = findMethod(methods, operation);
    if (!isMethod(found)) return [{ code: 'unknown-method', ...found, at }];
    if (does === 'follow' && !found.responseStream)
      return [
        {
          code: 'unavailable-method',
          message: `${found.path.slice(1)} answers once, so that it has no events`,
          at,
          help: 'Call it in a step, or use a method that streams its answers.',
        },
      ];
    if (!found.requestStream || (!found.responseStream && does !== 'follow')) return [];
    return [
      {
        code: 'unavailable-method',
        message: `${found.path.slice(1)} streams in both directions, which flows cannot ${does}`,
        at,
        help: 'Use a method that streams in one direction at most.',
      },
    ];
  };
  return [
    ...published.flows.flatMap(({ name, operation }) =>
      check(operation, does, { of: 'flow', name, word: 'operation' }),
    ),
    ...published.asked.flatMap(({ operation, origin }) => check(operation, 'call', { of: 'call', origin })),
  ];
}

function wordOf({ config }: Published): PublishedProblem['at'] {
  const { proto_files } = config as unknown as ProtoPlace;
  return { of: 'connector', path: [proto_files === undefined ? 'proto_path' : 'proto_files'] };
}
