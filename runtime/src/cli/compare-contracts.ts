import { basename, extname, resolve } from 'node:path';
import { type Diagnostic, mostSevereFirst } from '@svc/protocol/text';
import type { loadConfiguration } from '../config/load.ts';
import { type ContractFile, type ContractFindings, checkOpenApi, unreadable } from '../drift/check.ts';
import { checkGraphql } from '../drift/graphql.ts';
import { ContractProblem } from '../import/contract.ts';
import { directoryOf } from './call.ts';
import { type Invocation, UsageError } from './command.ts';
import { besideOf, textOf } from './contract-file.ts';
import { type ConnectorContract, contractsOfType } from './export-contract.ts';
import type { Findings } from './report.ts';

type Loaded = Awaited<ReturnType<typeof loadConfiguration>>;

/** Schemas of GraphQL, and contracts that are exported and not compared, by the end of their name. */
const ofGraphql: ReadonlySet<string> = new Set(['.graphql', '.graphqls', '.gql']);
const notCompared: Readonly<Record<string, string>> = { '.proto': 'proto', '.wsdl': 'wsdl' };

/** What is wrong with a configuration, and how it differs from the contracts. Throws UsageError for a kind that is not compared. */
export async function compareContracts(
  loaded: Loaded,
  named: readonly string[],
  invocation: Invocation,
): Promise<Findings> {
  const diagnostics: Diagnostic[] = [...loaded.diagnostics];
  const texts = new Map(loaded.texts);
  for (const name of new Set(named)) {
    const kind = notCompared[extname(name).toLowerCase()];
    if (kind !== undefined)
      throw new UsageError(
        `--contract takes OpenAPI and GraphQL, not ${name}: compare it with what svc export ${kind} writes`,
      );
    const found = await findingsOf(loaded, name, invocation);
    diagnostics.push(...found.diagnostics);
    for (const [path, text] of found.texts) if (!texts.has(path)) texts.set(path, text);
  }
  return { diagnostics: mostSevereFirst(diagnostics), texts };
}

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
  if (!ofGraphql.has(extname(named).toLowerCase())) return checkOpenApi(loaded.project, file);
  const served = await contractsOfType(loaded, directoryOf(invocation), invocation.streams, 'graphql');
  const chosen = chosenOf(served, basename(named, extname(named)));
  if (chosen !== undefined) return checkGraphql(loaded.project, file, chosen);
  const why =
    served.length === 0
      ? 'no connector of type graphql serves flows here'
      : `several connectors serve GraphQL; name the file after the one that it is of: ${served.map(({ connector }) => connector).join(', ')}`;
  return { diagnostics: [unreadable(why, named, text)], texts: new Map([[named, text]]) };
}

function chosenOf(served: readonly ConnectorContract[], name: string): ConnectorContract | undefined {
  return served.length === 1 ? served[0] : served.find(({ connector }) => connector === name);
}
