import { basename, extname, resolve } from 'node:path';
import { type Diagnostic, mostSevereFirst } from '@svc/protocol/text';
import type { loadConfiguration } from '../service/config/load.ts';
import type { ContractFile, ContractFindings } from '../tools/drift/check.ts';
import { unreadable } from '../tools/drift/diagnostic.ts';
import { ContractProblem } from '../tools/import/contract.ts';
import { directoryOf } from './call.ts';
import type { Invocation } from './command.ts';
import { besideOf, textOf } from './contract-file.ts';
import { contractsOfType, definitionsOfType } from './export-contract.ts';
import type { Findings } from './report.ts';

type Loaded = Awaited<ReturnType<typeof loadConfiguration>>;

/** Kinds of contracts that are compared with what one connector says, by the end of their name. The others are of OpenAPI. */
const kinds: Readonly<Record<string, CompareWithConnector>> = {
  '.graphql': compareGraphql,
  '.graphqls': compareGraphql,
  '.gql': compareGraphql,
  '.proto': compareProto,
  '.wsdl': compareWsdl,
};

type CompareWithConnector = (loaded: Loaded, file: ContractFile, invocation: Invocation) => Promise<ContractFindings>;

/** What is wrong with a configuration, and how it differs from the contracts. */
export async function compareContracts(
  loaded: Loaded,
  named: readonly string[],
  invocation: Invocation,
): Promise<Findings> {
  const diagnostics: Diagnostic[] = [...loaded.diagnostics];
  const texts = new Map(loaded.texts);
  for (const name of new Set(named)) {
    const found = await findingsOf(loaded, name, invocation);
    diagnostics.push(...found.diagnostics);
    for (const [path, text] of found.texts) if (!texts.has(path)) texts.set(path, text);
  }
  return { diagnostics: mostSevereFirst(diagnostics), texts };
}

/** What compares a kind is loaded with the first contract of it. */
async function findingsOf(loaded: Loaded, named: string, invocation: Invocation): Promise<ContractFindings> {
  const path = resolve(invocation.workingDirectory, named);
  let text: string;
  try {
    text = textOf(path, named);
  } catch (error) {
    if (!(error instanceof ContractProblem)) throw error;
    return { diagnostics: [unreadable(error.message, named, '')], texts: new Map() };
  }
  const file: ContractFile = { text, named, ...besideOf(path, invocation.workingDirectory) };
  const compare = kinds[extname(named).toLowerCase()];
  if (compare !== undefined) return compare(loaded, file, invocation);
  const { checkOpenApi } = await import('../tools/drift/check.ts');
  return checkOpenApi(loaded.project, file);
}

async function compareGraphql(loaded: Loaded, file: ContractFile, invocation: Invocation): Promise<ContractFindings> {
  const served = await contractsOfType(loaded, directoryOf(invocation), invocation.streams, 'graphql');
  const chosen = chosenOf(served, file, 'graphql', 'GraphQL');
  if ('diagnostics' in chosen) return chosen;
  const { checkGraphql } = await import('../tools/drift/graphql.ts');
  return checkGraphql(loaded.project, file, chosen);
}

async function compareWsdl(loaded: Loaded, file: ContractFile, invocation: Invocation): Promise<ContractFindings> {
  const served = await contractsOfType(loaded, directoryOf(invocation), invocation.streams, 'soap');
  const chosen = chosenOf(served, file, 'soap', 'SOAP');
  if ('diagnostics' in chosen) return chosen;
  const { checkWsdl } = await import('../tools/drift/wsdl/check.ts');
  return checkWsdl(loaded.project, file, chosen);
}

async function compareProto(loaded: Loaded, file: ContractFile, invocation: Invocation): Promise<ContractFindings> {
  const served = await definitionsOfType(loaded, directoryOf(invocation), invocation.streams, 'grpc');
  const chosen = chosenOf(served, file, 'grpc', 'gRPC');
  if ('diagnostics' in chosen) return chosen;
  const { checkProto } = await import('../tools/drift/proto/check.ts');
  return checkProto(loaded.project, file, chosen);
}

/** The only one, else the one that the file is named after; what is wrong where it means no connector. */
function chosenOf<Served extends { readonly connector: string }>(
  served: readonly Served[],
  { named, text }: ContractFile,
  type: string,
  protocol: string,
): Served | ContractFindings {
  const name = basename(named, extname(named));
  const found = served.length === 1 ? served[0] : served.find(({ connector }) => connector === name);
  if (found !== undefined) return found;
  const names = served.map(({ connector }) => connector).join(', ');
  const why =
    served.length === 0
      ? `no connector of type ${type} serves flows here`
      : `several connectors serve ${protocol}; name the file after the one that it is of: ${names}`;
  return { diagnostics: [unreadable(why, named, text)], texts: new Map([[named, text]]) };
}
