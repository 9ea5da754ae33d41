import type { ConnectorSpec } from '@svc/protocol/schema';
import { quote } from '@svc/protocol/syntax';
import { connectors } from '../../../connectors/catalog.ts';
import { type ContractOperation, readContract, type SoapContract } from '../../../platform/formats/wsdl/contract.ts';
import { NoContract } from '../../../platform/formats/wsdl/no-contract.ts';
import { SchemaParts } from '../../../platform/formats/wsdl/schema-parts.ts';
import { ContractProblem, type ContractSource, type ImportContract, type ImportedFile, missing } from '../contract.ts';
import { apart, commented, snake } from '../names.ts';
import { ImportedTypes } from './types.ts';

const server = connectors['soap/server'] as ConnectorSpec;

/** A WSDL as a server of its operations, a type for each message and for what is in it, and a flow for each operation. */
export const importWsdl: ImportContract = (source) => {
  const contract = contractIn(source);
  const left = [...contract.unread, ...contract.left];
  const schemas = new SchemaParts(contract.schemas);
  const types = new ImportedTypes(schemas, contract.operations[0]?.namespace, left);
  const flows = flowsOf(contract, source, types, left);
  if (flows.length === 0) left.push('no operation: no flow was written');
  const files: readonly ImportedFile[] = [
    { path: `connectors/${source.connector}.hcl`, text: connectorText(source.connector, contract, schemas, left) },
    ...types.files,
    ...flows,
  ];
  return { files: apart(files), left: [...new Set(left)] };
};

function contractIn({ text, path, beside }: ContractSource): SoapContract {
  try {
    return readContract({ text, ...beside });
  } catch (error) {
    if (!(error instanceof NoContract)) throw error;
    const place = error.file === undefined || error.file === beside.path ? path : error.file;
    throw new ContractProblem(`${place}${error.line === undefined ? '' : `:${error.line}`}: ${error.message}`);
  }
}

function connectorText(name: string, contract: SoapContract, schemas: SchemaParts, left: string[]): string {
  const { operations, version } = contract;
  const [first] = operations;
  const { type } = server;
  const others = operations.filter(({ namespace }) => namespace !== first?.namespace).map(({ local }) => local);
  if (others.length > 0)
    left.push(`operation ${others.join(', ')}: answers have the namespace of ${first?.local}, ${first?.namespace}`);
  const qualified = operations.map(({ input }) => {
    const element = input.kind === 'element' ? schemas.find('element', input.element) : undefined;
    return element !== undefined && schemas.isQualified(element);
  });
  const isQualified = qualified.includes(true);
  if (isQualified && qualified.includes(false))
    left.push('some schemas have elementFormDefault="qualified" and others not: answers of all are qualified');
  const lines = [
    `type = ${quote(type)}`,
    `port = env(${quote(`${name.replaceAll('-', '_').toUpperCase()}_PORT`)}, "8081")`,
    ...(version === '1.1' ? [] : [`soap_version = ${quote(version)}`]),
    ...(first === undefined || first.namespace === '' ? [] : [`namespace = ${quote(first.namespace)}`]),
    ...(isQualified ? ['element_form = "qualified"'] : []),
  ];
  return `connector ${quote(name)} {\n${lines.join('\n')}\n}`;
}

function flowsOf(
  { operations }: SoapContract,
  { connector }: ContractSource,
  types: ImportedTypes,
  left: string[],
): readonly ImportedFile[] {
  const taken = new Set<string>();
  return operations.flatMap((operation): readonly ImportedFile[] => {
    const { local, documentation } = operation;
    const problem = server.source?.checkOperation?.(local, {});
    if (problem !== undefined) {
      left.push(`operation ${local}: its name ${problem}`);
      return [];
    }
    const plain = snake(local).replace(/[^a-z0-9_]+/g, '_');
    let flow = plain;
    for (let count = 2; taken.has(flow); count++) flow = `${plain}_${count}`;
    taken.add(flow);
    const { checked, answers } = typesOf(operation, types, left);
    const from = `from {\nconnector = ${quote(connector)}\noperation = ${quote(local)}\n}\n`;
    const todo = missing(`what it does and answers: step, transform, to, response (${answers})`);
    return [
      {
        path: `flows/${flow}.hcl`,
        text: `${commented(documentation)}flow ${quote(flow)} {\n${from}${checked}${todo}}`,
      },
    ];
  });
}

/** The types that a flow checks its message and its answer with. */
function typesOf({ local, input, output }: ContractOperation, types: ImportedTypes, left: string[]) {
  const asked = types.ofMessage(input, local);
  const answered = output && types.ofMessage(output, `${local}Response`);
  if (output === undefined)
    left.push(`operation ${local}: it is not answered, and the server answers it with an empty element`);
  else if (output.kind === 'element' && output.element.local !== `${local}Response`)
    left.push(`operation ${local}: it is answered with the element ${local}Response, not ${output.element.local}`);
  const lines = [
    ...(asked === undefined ? [] : [`input = ${quote(asked)}\n`]),
    ...(answered === undefined ? [] : [`output = ${quote(answered)}\n`]),
  ];
  return {
    checked: lines.length === 0 ? '' : `validate {\n${lines.join('')}}\n`,
    answers: answered ?? 'nothing',
  };
}
