import type { ConnectorSpec } from '@svc/protocol/schema';
import { quote } from '@svc/protocol/syntax';
import { connectors } from '../../../connectors/catalog.ts';
import { type OpenApiContract, readOpenApi } from '../../../platform/formats/openapi/contract.ts';
import { NoOpenApi } from '../../../platform/formats/openapi/no-openapi.ts';
import { ContractProblem, type ContractSource, type ImportContract, type ImportedFile } from '../contract.ts';
import { apart, commented } from '../names.ts';
import { flowText, messagesOf } from './flows.ts';
import { parameterBlocks } from './parameters.ts';
import { type Route, routesOf } from './routes.ts';
import { authText, variable } from './security.ts';
import { ImportedTypes } from './types.ts';

const server = connectors.rest as ConnectorSpec;
const client = connectors.http as ConnectorSpec;

/**
 * A description of OpenAPI 3 as a server of its operations, a type for each object in their messages and a flow for each
 * operation; or as a client with its operations by name.
 */
export const importOpenApi: ImportContract = (source) => {
  try {
    return imported(source);
  } catch (error) {
    if (!(error instanceof NoOpenApi)) throw error;
    const place = error.file === undefined || error.file === source.beside.path ? source.path : error.file;
    throw new ContractProblem(`${place}${error.line === undefined ? '' : `:${error.line}`}: ${error.message}`);
  }
};

function imported({ text, path, beside, connector, isClient = false }: ContractSource) {
  const contract = readOpenApi({ text, ...beside });
  const { documents } = contract;
  const types = new ImportedTypes(documents);
  const routes = routesOf(contract, isClient);
  const described = routes.map((route) => {
    const messages = messagesOf(route, types, documents);
    return { route, messages, parameters: parameterBlocks(route, documents) };
  });
  const blocks = described.flatMap(({ route, messages, parameters: { isPlain, texts } }) => {
    if (!isClient && isPlain) return [];
    const checked = isClient ? messages : undefined;
    return [operationText(route, texts, checked)];
  });
  const auth = authText(contract, routes, connector, isClient);
  const flows = described.map(
    ({ route, messages, parameters }): ImportedFile => ({
      path: `flows/${route.name}.hcl`,
      text: flowText(route, messages, connector, !parameters.isPlain),
    }),
  );
  const files: readonly ImportedFile[] = [
    { path: `connectors/${connector}.hcl`, text: connectorText(connector, contract, [auth, ...blocks], isClient) },
    ...types.files,
    ...(isClient ? [] : flows),
  ];
  const named = (file: string) => (file === beside.path ? path : file);
  const left = documents.unread.map(({ file, pointer, why }) => `${named(file)}#${pointer}: ${why}`);
  if (routes.length === 0) left.push(`${path}#/paths: no operation: no flow was written`);
  return { files: apart(files), left: [...new Set(left)] };
}

function connectorText(
  name: string,
  { title, version, server: address }: OpenApiContract,
  blocks: readonly string[],
  isClient: boolean,
): string {
  const about = commented([title, version].filter((text) => text.trim() !== '').join(', '));
  const lines = isClient
    ? [`type = ${quote(client.type)}`, `base_url = ${addressOf(name, address)}`]
    : [`type = ${quote(server.type)}`, `port = env(${quote(`${variable(name)}_PORT`)}, "8080")`];
  return `${about}connector ${quote(name)} {\n${lines.join('\n')}\n${blocks.join('')}}`;
}

function addressOf(name: string, address: string): string {
  const isWhole = /^https?:\/\/[^\s/?#{}]+(\/[^\s?#{}]*)?$/.test(address);
  const standard = isWhole ? address.replace(/\/+$/, '') : 'http://localhost:8080';
  return `env(${quote(`${variable(name)}_BASE_URL`)}, ${quote(standard)})`;
}

function operationText(
  { name, method, path, operation }: Route,
  parameters: readonly string[],
  checked: { readonly input: string | undefined; readonly output: string | undefined } | undefined,
): string {
  const about = (operation.summary || operation.description).replace(/\s+/g, ' ').trim();
  const lines = [
    `method = ${quote(method)}`,
    `path = ${quote(path)}`,
    ...(about === '' ? [] : [`description = ${quote(about)}`]),
    ...(checked?.input === undefined ? [] : [`input = ${quote(checked.input)}`]),
    ...(checked?.output === undefined ? [] : [`output = ${quote(checked.output)}`]),
  ];
  const inner = parameters.length === 0 ? '' : `\n${parameters.join('\n')}`;
  return `\noperation ${quote(name)} {\n${lines.join('\n')}\n${inner}}\n`;
}
