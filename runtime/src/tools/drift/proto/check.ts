import type { Project } from '@svc/protocol/model';
import { type Origin, originOf } from '@svc/protocol/schema';
import type { Diagnostic } from '@svc/protocol/text';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import type { PublishedDefinitions } from '../../../foundation/contracts/source.ts';
import { methodsOf, type RpcMethod } from '../../../platform/formats/protobuf/schema/methods.ts';
import { insidePath } from '../../../platform/formats/protobuf/schema/proto-path.ts';
import { readSchema } from '../../../platform/formats/protobuf/schema/read.ts';
import type { ContractFile, ContractFindings } from '../check.ts';
import { differenceDiagnostic, unreadable } from '../diagnostic.ts';
import { readProtoContract } from './contract.ts';
import { declarationsIn } from './declarations.ts';
import type { ProtoDifference } from './differences.ts';
import { compareProto, nameOfMethod } from './methods.ts';

/** The definitions of a server, by the name of its connector. */
interface ProtoServer extends PublishedDefinitions {
  readonly connector: string;
}

/** How what a server of gRPC defines and answers differs from definitions. */
export function checkProto(project: Project, file: ContractFile, server: ProtoServer): ContractFindings {
  const { connector, answered } = server;
  const contract = readProtoContract(file);
  const own = server.texts;
  /** A file of the contract and one of the configuration may be called the same. */
  const called = (path: string): string => {
    const name = path === file.path ? file.named : path;
    const other = own.get(name);
    return other === undefined || other === contract.texts.get(path) ? name : `./${name}`;
  };
  const texts = new Map([...contract.texts].map(([path, text]) => [called(path), text]));
  const { root, problem } = contract;
  if (root === undefined) {
    const text = contract.texts.get(problem.file) ?? '';
    const line = text.slice(0, problem.start).split('\n').length;
    return { diagnostics: [unreadable(problem.message, called(problem.file), text, line)], texts };
  }
  const promised = methodsOf(root);
  if (promised.length === 0)
    return { diagnostics: [unreadable('it defines no method', called(file.path), file.text)], texts };
  const methods = methodsHere(server);
  const differences = compareProto(promised, { connector, methods, answered });
  const theirs = placesIn(new Map([...contract.texts].map(([path, text]) => [called(path), text])));
  const ours = placesIn(own);
  const flows = new Map(flowsOf(project).map((flow) => [flow.name, flow]));
  const placeOfFlow = (path: string): Origin | undefined => {
    const flow = flows.get(answered.get(path) ?? '');
    return (flow?.values.from && originOf(flow.values.from, 'operation')) ?? flow?.nameOrigin;
  };
  const byName = new Map(methods.map((method) => [nameOfMethod(method), placeOfFlow(method.path)]));
  const serverPlace = project.connectors.get(connector)?.nameOrigin;
  const ownPlace = ({ served, isOfFlow }: ProtoDifference): Origin | undefined => {
    if (isOfFlow) return (served === undefined ? undefined : byName.get(served)) ?? serverPlace;
    return placeOf(served, ours) ?? serverPlace;
  };
  const diagnostics = differences.map((one): Diagnostic => {
    const there = placeOf(one.contract, theirs);
    const { code, isBreaking } = one;
    const message = there === undefined ? one.message : `${one.message} (${there.file}: ${one.contract})`;
    return differenceDiagnostic({ code, isBreaking, message, own: ownPlace(one), there }, called(file.path));
  });
  for (const [path, text] of own) texts.set(path, text);
  return { diagnostics, texts };
}

/** The methods that a server defines, which read its files without problems before. */
function methodsHere({ texts, folder }: PublishedDefinitions): readonly RpcMethod[] {
  const begin = insidePath(folder) ?? '';
  const names = [...texts.keys()].map((path) => (begin === '' ? path : path.slice(begin.length + 1)));
  const read = (path: string): string => {
    const text = texts.get(path);
    if (text === undefined) throw new Error(`"${path}" is not a file of it`);
    return text;
  };
  const { root, problems } = readSchema({ proto_path: folder, proto_files: names }, { read, list: () => [] });
  const [problem] = problems;
  if (problem !== undefined) throw new Error(problem.message);
  return methodsOf(root);
}

function placesIn(texts: ReadonlyMap<string, string>): ReadonlyMap<string, Origin> {
  return new Map([...texts].flatMap(([file, text]) => [...declarationsIn(text, file).found]));
}

/** The place of something, else of what it is in: what is extended is declared elsewhere. */
function placeOf(name: string | undefined, places: ReadonlyMap<string, Origin>): Origin | undefined {
  for (let at = name ?? ''; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const found = places.get(at);
    if (found !== undefined) return found;
  }
  return undefined;
}
