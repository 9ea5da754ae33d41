/** A file of the page, and which export of the package that has the page it is. */
interface PageFile {
  readonly from: 'js' | 'css' | 'editorWorkerService' | 'jsonWorker' | 'graphqlWorker';
  readonly type: string;
}

const script = 'text/javascript; charset=utf-8';

/** The package, of which the program carries these files compressed. */
export const packageOfPage = '@graphql-yoga/render-graphiql/graphiql.js';

/** By name; built into the folder `playground` beside the program. */
export const pageFiles: Readonly<Record<string, PageFile>> = {
  'graphiql.js': { from: 'js', type: script },
  'graphiql.css': { from: 'css', type: 'text/css; charset=utf-8' },
  'editor.worker.js': { from: 'editorWorkerService', type: script },
  'json.worker.js': { from: 'jsonWorker', type: script },
  'graphql.worker.js': { from: 'graphqlWorker', type: script },
};
