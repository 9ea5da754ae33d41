import type { Project } from '@svc/protocol/model';
import type { Origin } from '@svc/protocol/schema';
import type { Diagnostic, Range } from '@svc/protocol/text';
import { endpointsOf, pathTemplate } from '../../engine/export/endpoints.ts';
import { openApi } from '../../engine/export/openapi.ts';
import { type OpenApiContract, readOpenApi } from '../../platform/formats/openapi/contract.ts';
import type { DescriptionFile, Located } from '../../platform/formats/openapi/documents.ts';
import { NoOpenApi } from '../../platform/formats/openapi/no-openapi.ts';
import { positionsIn } from '../../platform/formats/openapi/positions.ts';
import { resolveReferences } from '../../platform/formats/openapi/references.ts';
import { brokenReference, differenceDiagnostic, unreadable } from './diagnostic.ts';
import type { Difference } from './difference.ts';
import { compareOpenApi } from './openapi.ts';
import { placeOf } from './places.ts';

/** A contract, and what it is called in messages. */
export interface ContractFile extends DescriptionFile {
  /** As it was named. */
  readonly named: string;
}

/** What a check found, with the texts of the contract that places are in, by what they are called. */
export interface ContractFindings {
  readonly diagnostics: readonly Diagnostic[];
  readonly texts: ReadonlyMap<string, string>;
}

/** How a configuration differs from a description of OpenAPI: errors where callers notice it, warnings elsewhere. */
export function checkOpenApi(project: Project, file: ContractFile): ContractFindings {
  const nameOf = (path: string) => (path === file.path ? file.named : path);
  const texts = new Map([[file.named, file.text]]);
  const read = (path: string) => {
    const text = file.read(path);
    texts.set(nameOf(path), text);
    return text;
  };
  let contract: OpenApiContract;
  let differences: readonly Difference[];
  try {
    contract = readOpenApi({ ...file, read });
    resolveReferences(contract.documents);
    // What is not known differs in nothing.
    differences = hasBroken(contract)
      ? []
      : compareOpenApi(contract, servedBy(project), ({ method, path }) => alsoRead(project, method, path));
  } catch (error) {
    if (error instanceof NoOpenApi) {
      const name = error.file === undefined ? file.named : nameOf(error.file);
      return { diagnostics: [unreadable(error.message, name, texts.get(name) ?? '', error.line)], texts };
    }
    throw error;
  }
  const positions = new Map<string, ReturnType<typeof positionsIn>>();
  const rangeOf = ({ file: path, pointer }: Located): Range => {
    const name = nameOf(path);
    const known = positions.get(name) ?? positionsIn(texts.get(name) ?? '');
    positions.set(name, known);
    return known(pointer);
  };
  const found = new Map<string, Diagnostic>();
  for (const { isBroken, why, ...at } of contract.documents.unread) {
    if (!isBroken) continue;
    const name = nameOf(at.file);
    found.set(`${at.file}#${at.pointer}`, brokenReference(`${why} (${name}#${at.pointer})`, name, rangeOf(at)));
  }
  if (found.size > 0) return { diagnostics: [...found.values()], texts };
  for (const one of differences) {
    const diagnostic = diagnosticOf(one, project, contract, nameOf, rangeOf);
    const { code, contract: there, served, says, message, isBreaking } = one;
    const key = [code, isBreaking, there?.file, there?.pointer, served?.pointer, says ?? message].join(' ');
    if (!found.has(key)) found.set(key, diagnostic);
  }
  return { diagnostics: [...found.values()], texts };
}

function hasBroken({ documents }: OpenApiContract): boolean {
  return documents.unread.some(({ isBroken }) => isBroken);
}

function diagnosticOf(
  { code, isBreaking, message, contract, served }: Difference,
  project: Project,
  { documents }: OpenApiContract,
  nameOf: (path: string) => string,
  rangeOf: (at: Located) => Range,
): Diagnostic {
  const at = contract ?? documents.root;
  const there = { file: nameOf(at.file), range: rangeOf(at) };
  const own: Origin | undefined = served === undefined ? serverPlace(project) : placeOf(project, served.pointer);
  const isMissing = contract === undefined;
  return differenceDiagnostic(
    {
      code,
      isBreaking,
      message: isMissing ? message : `${message} (${there.file}#${at.pointer})`,
      own: own ?? (isMissing ? there : undefined),
      there: isMissing ? undefined : there,
    },
    there.file,
  );
}

/** The connector that would serve what is missing. */
function serverPlace(project: Project): Origin | undefined {
  return [...project.connectors.values()].find(({ spec }) => spec?.source?.routes === true)?.nameOrigin;
}

function servedBy(project: Project): OpenApiContract {
  const text = JSON.stringify(openApi(project, { dialect: '3.1.1' }));
  const read = () => {
    throw new Error('a configuration is one description');
  };
  return readOpenApi({ text, path: 'configuration', read });
}

/** Bodies may also come in formats that the description does not name, where the flow leaves it to the caller. */
function alsoRead(project: Project, method: string, path: string): readonly string[] {
  const endpoint = endpointsOf(project).find((each) => each.method === method && pathTemplate(each) === path);
  if (endpoint === undefined || endpoint.values.from?.words.fixed['format'] !== undefined) return [];
  const { body_formats: formats = [] } = endpoint.connector.values as { readonly body_formats?: readonly string[] };
  return formats.flatMap((format) => typesOf[format] ?? []);
}

const typesOf: Readonly<Record<string, readonly string[]>> = {
  json: ['application/json'],
  form: ['multipart/form-data', 'application/x-www-form-urlencoded'],
  xml: ['application/xml', 'text/xml'],
  csv: ['text/csv'],
  tsv: ['text/tab-separated-values'],
  ndjson: ['application/x-ndjson'],
  excel: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
};
