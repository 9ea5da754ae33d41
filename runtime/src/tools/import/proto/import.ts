import type { ConnectorSpec } from '@svc/protocol/schema';
import { quote } from '@svc/protocol/syntax';
import protobuf from 'protobufjs';
import { connectors } from '../../../connectors/catalog.ts';
import { ContractProblem, type ContractSource, type ImportContract, type ImportedFile, missing } from '../contract.ts';
import { commented, snake } from '../names.ts';

/**
 * Definitions of gRPC as a server that reads them from a folder of the configuration, and a flow for each method that the
 * file defines. What it imports stays where it is, and is named.
 */
export const importProto: ImportContract = (source) => {
  const { connector, text } = source;
  const { root, imports } = parsed(source);
  const folder = `protos/${connector}`;
  const left = imports
    .filter((name) => protobuf.common.get(name) === null)
    .map((name) => `import "${name}": copy that file to ${folder}/${name}`);
  const flows = flowsOf(root, connector, left);
  if (flows.length === 0) left.push('no method: no flow was written');
  const files: ImportedFile[] = [
    { path: `${folder}/${connector}.proto`, text: text.endsWith('\n') ? text : `${text}\n` },
    { path: `connectors/${connector}.hcl`, text: connectorText(connector, folder) },
    ...flows,
  ];
  return { files, left };
};

function parsed({ text, path }: ContractSource): { readonly root: protobuf.Root; readonly imports: readonly string[] } {
  try {
    const {
      root,
      imports = [],
      weakImports = [],
    } = protobuf.parse(text, new protobuf.Root(), {
      keepCase: true,
      alternateCommentMode: true,
    });
    return { root, imports: [...imports, ...weakImports] };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    // The parser reads a name that is not there any more.
    if (error instanceof TypeError) throw new ContractProblem(`${path}: the file ends too early`);
    const [, says = said, line] = /^(.*?) ?\((?:.*?, )?line (\d+)\)$/s.exec(said) ?? [];
    throw new ContractProblem(line === undefined ? `${path}: ${says}` : `${path}:${line}: ${says}`);
  }
}

function connectorText(name: string, folder: string): string {
  const { type, driver = '' } = connectors['grpc/server'] as ConnectorSpec;
  return `connector ${quote(name)} {\ntype = ${quote(type)}\ndriver = ${quote(driver)}\nproto_path = ${quote(`./${folder}`)}\n}`;
}

/** A flow for each method; one that streams in both directions is named instead. */
function flowsOf(root: protobuf.Root, connector: string, left: string[]): ImportedFile[] {
  const files: ImportedFile[] = [];
  const taken = new Set<string>();
  for (const service of servicesOf(root))
    for (const { name, comment, requestType, responseType, requestStream, responseStream } of service.methodsArray) {
      const operation = `${service.fullName.slice(1)}/${name}`;
      if (requestStream === true && responseStream === true) {
        left.push(`${operation}: methods that stream in both directions cannot be served`);
        continue;
      }
      const plain = snake(name);
      const flow = taken.has(plain) ? `${snake(service.name)}_${plain}` : plain;
      taken.add(flow);
      const written = commented(comment ?? '');
      const asked = requestStream === true ? `input.messages are of ${requestType}` : `input is ${requestType}`;
      const answers = responseStream === true ? `a list of ${responseType}` : responseType;
      const from = `from {\nconnector = ${quote(connector)}\noperation = ${quote(operation)}\n}\n`;
      const todo = missing(`what it does and answers: ${asked}; step, transform, to, response (${answers})`);
      files.push({ path: `flows/${flow}.hcl`, text: `${written}flow ${quote(flow)} {\n${from}${todo}}` });
    }
  return files;
}

function servicesOf(place: protobuf.NamespaceBase): protobuf.Service[] {
  return place.nestedArray.flatMap((each) => {
    if (each instanceof protobuf.Service) return [each];
    return each instanceof protobuf.Namespace ? servicesOf(each) : [];
  });
}
