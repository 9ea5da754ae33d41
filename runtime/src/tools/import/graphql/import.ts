import { type DocumentNode, GraphQLError, parse } from 'graphql';
import { ContractProblem, type ContractSource, type ImportContract, type ImportedFile } from '../contract.ts';
import { apart } from '../names.ts';
import { definitionsOf } from './definitions.ts';
import { connectorText, flowsOf } from './flows.ts';
import { typesOf } from './types.ts';

/**
 * A schema (SDL) as a server that reads it from a file of the configuration, a type for each object that callers send or
 * receive, and a flow for each field of a root type.
 */
export const importGraphql: ImportContract = (source) => {
  const { connector, text } = source;
  const left: string[] = [];
  const definitions = definitionsOf(documentOf(source), (what) => left.push(what));
  const schema = `schemas/${connector}.graphql`;
  const files: ImportedFile[] = [
    { path: schema, text: text.endsWith('\n') ? text : `${text}\n` },
    { path: `connectors/${connector}.hcl`, text: connectorText(connector, schema) },
    ...typesOf(definitions, left),
    ...flowsOf(definitions, source, left),
  ];
  return { files: apart(files), left };
};

/** Longest schema, in characters. */
const longest = 4_000_000;

function documentOf({ text, path }: ContractSource): DocumentNode {
  if (text.length > longest) throw new ContractProblem(`${path} is longer than ${longest} characters`);
  try {
    return parse(text, { noLocation: true });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const [at] = error.locations ?? [];
    const place = at === undefined ? path : `${path}:${at.line}:${at.column}`;
    throw new ContractProblem(`${place}: ${error.message}`);
  }
}
