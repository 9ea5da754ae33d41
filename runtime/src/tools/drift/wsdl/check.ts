import type { Project } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import type { Diagnostic, Range } from '@svc/protocol/text';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import { type as typeSpec } from '../../../engine/flow/stages/validate/spec.ts';
import { readContract, type SoapContract } from '../../../platform/formats/wsdl/contract.ts';
import type { XmlElement } from '../../../platform/formats/wsdl/elements.ts';
import { NoContract } from '../../../platform/formats/wsdl/no-contract.ts';
import type { ContractFile, ContractFindings } from '../check.ts';
import { differenceDiagnostic, unreadable } from '../diagnostic.ts';
import { compareOperations, type OwnPlaces } from './operations.ts';

/** The description that a connector publishes. */
interface Published {
  readonly connector: string;
  readonly text: string;
}

/** How what a server of SOAP publishes differs from a description. */
export function checkWsdl(project: Project, file: ContractFile, published: Published): ContractFindings {
  const called = (path: string) => (path === file.path ? file.named : path);
  const texts = new Map([[file.named, file.text]]);
  const refused = (why: string, name: string, line?: number): ContractFindings => ({
    diagnostics: [unreadable(why, name, texts.get(name) ?? '', line)],
    texts,
  });
  const read = (path: string) => {
    const text = file.read(path);
    texts.set(called(path), text);
    return text;
  };
  let contract: SoapContract;
  try {
    contract = readContract({ text: file.text, path: file.path, read });
  } catch (error) {
    if (error instanceof RangeError) return refused('it has too many levels', file.named);
    if (error instanceof NoContract)
      return refused(error.message, error.file === undefined ? file.named : called(error.file), error.line);
    throw error;
  }
  const [unread] = contract.unread;
  if (unread !== undefined) return refused(unread, file.named);
  const served = readContract({ text: published.text, path: 'configuration', read: onlyOne });
  const serverPlace = project.connectors.get(published.connector)?.nameOrigin;
  const range = ({ start, local }: XmlElement): Range => ({ start, end: start + local.length + 1 });
  const differences = compareOperations(contract, served, placesOf(project, published.connector));
  const diagnostics = differences.map(({ code, isBreaking, message, contract: at, own }): Diagnostic => {
    const there = at && { file: called(at.file), range: range(at) };
    const name = at?.attributes['name'] ?? at?.attributes['ref'] ?? at?.local;
    const said = there === undefined ? message : `${message} (${there.file}: ${name})`;
    return differenceDiagnostic({ code, isBreaking, message: said, own: own ?? serverPlace, there }, file.named);
  });
  return { diagnostics, texts };
}

function onlyOne(): never {
  throw new Error('a configuration is one description');
}

function placesOf(project: Project, connector: string): OwnPlaces {
  const server = project.connectors.get(connector);
  const flows = new Map<string, NonNullable<ReturnType<OwnPlaces['flow']>>>();
  for (const { values, nameOrigin } of flowsOf(project)) {
    const { from, validate } = values;
    if (from?.connector !== connector || from.operation === undefined || server === undefined) continue;
    const resolved = resolveOperation(server, from.operation);
    const name = (resolved?.operation ?? from.operation).trim();
    const at = originOf(from, 'operation') ?? nameOrigin;
    const input = validate?.input ?? resolved?.input;
    const output = validate?.output ?? resolved?.output;
    if (!flows.has(name)) flows.set(name, { at, input, output });
  }
  const types = new Map(project.all('type', typeSpec).map((each) => [each.name, each]));
  return {
    flow: (operation) => flows.get(operation),
    type: (name, field) => {
      const declared = types.get(name);
      return declared?.values.fields.find((each) => each.name === field)?.origin ?? declared?.nameOrigin;
    },
  };
}
