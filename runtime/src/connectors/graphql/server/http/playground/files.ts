/** A file of the page, and which export of the package that has the page it is. */
interface PageFile {
  readonly from: 'js' | 'css' | 'editorWorkerService' | 'jsonWorker' | 'graphqlWorker';
  readonly type: string;
}

const script = 'text/javascript; charset=utf-8';

/** The package of the page. */
export const pagePackage = '@graphql-yoga/render-graphiql/graphiql';

/** The texts of the package. It is there where the program is built and tested; the program has the files. */
export function pageParts(): Promise<Readonly<Record<PageFile['from'], string>>> {
  return import('@graphql-yoga/render-graphiql/graphiql');
}

/** The folder beside the program that they are built into. */
export const pageFolder = 'playground';

/** By name. */
export const pageFiles: Readonly<Record<string, PageFile>> = {
  'graphiql.js': { from: 'js', type: script },
  'graphiql.css': { from: 'css', type: 'text/css; charset=utf-8' },
  'editor.worker.js': { from: 'editorWorkerService', type: script },
  'json.worker.js': { from: 'jsonWorker', type: script },
  'graphql.worker.js': { from: 'graphqlWorker', type: script },
};
