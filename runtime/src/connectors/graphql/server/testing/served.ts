import { rmSync } from 'node:fs';
import { configured } from '../../../../../../test/support/configured.ts';
import { folderWith } from '../../../../../../test/support/folder.ts';
import {
  type Answer,
  binding,
  type Deliver,
  type Served,
  type ServedOptions,
  serve,
} from '../../../../platform/http/testing/served.ts';
import { create } from '../connector.ts';
import { graphqlServer } from '../spec.ts';

export { echo, reply } from '../../../../platform/http/testing/served.ts';

export interface ServedSchema extends ServedOptions {
  readonly config?: Record<string, unknown>;
  /** Further files of the configuration, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A GraphQL server behind a real socket. */
export interface ServedGraphql extends Served {
  /** One request by POST, whose body is sent as JSON. */
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** Serves a schema whose fields are resolved by stub flows, named as `Query.order`. */
export async function servedGraphql(
  schema: string,
  fields: Readonly<Record<string, Deliver>>,
  { config, files = {}, ...options }: ServedSchema = {},
): Promise<ServedGraphql> {
  const directory = folderWith({ 'schema.graphql': schema, ...files });
  const written = { host: '127.0.0.1', port: 0, schema: { path: 'schema.graphql' }, ...config };
  const values = configured(graphqlServer.config, written);
  try {
    const served = await serve(
      (services) => create('api', values, services),
      Object.entries(fields).map(([operation, deliver]) => binding(operation, deliver)),
      { ...options, services: { directory, ...options.services } },
    );
    const post: ServedGraphql['post'] = (body, headers = {}) =>
      served.ask('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    return { ...served, post };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
