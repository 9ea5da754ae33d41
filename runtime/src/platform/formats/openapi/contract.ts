import { child, childrenOf, type DescriptionFile, Documents, type Located, member, textOf } from './documents.ts';
import { NoOpenApi } from './no-openapi.ts';

/** What a description of OpenAPI 3 promises. */
export interface OpenApiContract {
  readonly documents: Documents;
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** The address of the first server; empty where it is absent. */
  readonly server: string;
  /** The path of that address, which every path begins with; empty for `/`. */
  readonly base: string;
  readonly operations: readonly ContractOperation[];
  /** Named schemas, in written order. */
  readonly schemas: ReadonlyMap<string, Located>;
  readonly schemes: ReadonlyMap<string, Located>;
}

export interface ContractOperation {
  readonly at: Located;
  /** In capitals. */
  readonly method: string;
  /** As it is written, below the path of the server. */
  readonly path: string;
  readonly id: string | undefined;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ContractParameter[];
  readonly body: ContractContent | undefined;
  /** By status, `default` and `4XX` too. */
  readonly answers: ReadonlyMap<string, ContractContent>;
  /** Names of schemes that are asked for together, an element for each alternative; undefined where nothing is said. */
  readonly security: readonly (readonly string[])[] | undefined;
}

export interface ContractParameter {
  readonly at: Located;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: Located | undefined;
}

/** A body or an answer. */
export interface ContractContent {
  readonly at: Located;
  readonly required: boolean;
  readonly description: string;
  /** Schemas by media type; undefined where any is allowed. */
  readonly types: ReadonlyMap<string, Located | undefined>;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const;

/** Reads a description and the files beside it. Throws NoOpenApi for anything that is not OpenAPI 3. */
export function readOpenApi(file: DescriptionFile): OpenApiContract {
  const documents = new Documents(file);
  const { root } = documents;
  checkVersion(root.value);
  const info = member(root.value, 'info');
  const server = serverOf(root);
  const shared = securityIn(root, documents);
  const operations = documents
    .childrenOf(child(root, 'paths'))
    .flatMap(([path, each]) => pathOperations(path, each, documents, shared));
  for (const word of ['webhooks'])
    for (const [, at] of childrenOf(child(root, word)))
      documents.leave(at, 'requests that the service makes are not read');
  const components = child(root, 'components');
  return {
    documents,
    title: textOf(info, 'title') ?? '',
    version: textOf(info, 'version') ?? '',
    description: textOf(info, 'description') ?? '',
    server,
    base: pathOf(server),
    operations,
    schemas: new Map(childrenOf(components && child(components, 'schemas'))),
    schemes: new Map(childrenOf(components && child(components, 'securitySchemes'))),
  };
}

function checkVersion(value: unknown): void {
  const version = textOf(value, 'openapi');
  if (version !== undefined && /^3\.[0-2](?:\.|$)/.test(version)) return;
  const older = member(value, 'swagger');
  if (older !== undefined)
    throw new NoOpenApi(
      `it is OpenAPI ${String(older).slice(0, 20)}, and 3.0 or newer is read: convert it first, such as with swagger2openapi`,
    );
  throw new NoOpenApi(
    version === undefined
      ? 'it is not a description of OpenAPI: it does not begin with openapi: 3.0 or newer'
      : `it is OpenAPI ${version.slice(0, 20)}, and 3.0 to 3.2 are read`,
  );
}

/** The first address, with the defaults of its variables. */
function serverOf(root: Located): string {
  const [first] = childrenOf(child(root, 'servers'));
  const server = first?.[1];
  const variables = member(server?.value, 'variables');
  return (textOf(server?.value, 'url') ?? '').replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const standard = member(member(variables, name), 'default');
    return standard === undefined ? whole : String(standard);
  });
}

/** The path of an address, which may be relative. */
export function pathOf(server: string): string {
  const path = URL.parse(server, 'http://localhost')?.pathname ?? '';
  return plain(path).replace(/\/+$/, '');
}

/** A path as people write it. */
function plain(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function pathOperations(
  path: string,
  written: Located,
  documents: Documents,
  shared: ContractOperation['security'],
): readonly ContractOperation[] {
  if (path.startsWith('x-')) return [];
  const item = documents.resolve(written);
  if (item === undefined) return [];
  if (!path.startsWith('/')) {
    documents.leave(written, 'a path begins with /');
    return [];
  }
  const common = parametersIn(item, documents);
  return methods.flatMap((method): ContractOperation[] => {
    const at = child(item, method);
    if (at === undefined || typeof at.value !== 'object' || at.value === null) return [];
    const own = parametersIn(at, documents);
    const isOwn = (one: ContractParameter) => own.some((each) => each.name === one.name && each.in === one.in);
    for (const word of ['callbacks', 'servers'] as const) {
      const other = child(at, word);
      if (other !== undefined) documents.leave(other, `${word} of an operation are not read`);
    }
    const body = child(at, 'requestBody');
    return [
      {
        at,
        method: method.toUpperCase(),
        path,
        id: textOf(at.value, 'operationId'),
        summary: textOf(at.value, 'summary') ?? '',
        description: textOf(at.value, 'description') ?? '',
        parameters: [...common.filter((one) => !isOwn(one)), ...own],
        body: body && contentOf(body, documents),
        answers: new Map(
          documents.childrenOf(child(at, 'responses')).flatMap(([status, each]) => {
            const content = status.startsWith('x-') ? undefined : contentOf(each, documents);
            return content === undefined
              ? []
              : [[status.toUpperCase() === 'DEFAULT' ? 'default' : status, content] as const];
          }),
        ),
        security: securityIn(at, documents) ?? shared,
      },
    ];
  });
}

function parametersIn(owner: Located, documents: Documents): readonly ContractParameter[] {
  return documents.childrenOf(child(owner, 'parameters')).flatMap(([, written]) => {
    const at = documents.resolve(written);
    const name = textOf(at?.value, 'name');
    const place = textOf(at?.value, 'in');
    if (at === undefined || name === undefined || place === undefined) return [];
    const [content] = childrenOf(child(at, 'content'));
    return [
      {
        at: written,
        name,
        in: place,
        required: place === 'path' || member(at.value, 'required') === true,
        description: textOf(at.value, 'description'),
        schema: child(at, 'schema') ?? (content && child(content[1], 'schema')),
      },
    ];
  });
}

function contentOf(written: Located, documents: Documents): ContractContent | undefined {
  const at = documents.resolve(written);
  if (at === undefined) return undefined;
  const types = documents
    .childrenOf(child(at, 'content'))
    .map(([type, each]) => [(type.split(';', 1)[0] as string).trim().toLowerCase(), child(each, 'schema')] as const);
  return {
    at: written,
    required: member(at.value, 'required') === true,
    description: textOf(at.value, 'description') ?? '',
    types: new Map(types),
  };
}

function securityIn(at: Located, documents: Documents): ContractOperation['security'] {
  const list = child(at, 'security');
  if (list === undefined) return undefined;
  return documents.childrenOf(list).map(([, each]) => documents.childrenOf(each).map(([name]) => name));
}
