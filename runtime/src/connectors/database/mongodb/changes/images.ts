import type { Db } from 'mongodb';
import { Failure } from '../../../../foundation/errors/failure.ts';

/** Rejects where the server does not keep how the documents of a collection were before a change. */
export async function requireImages(database: Db, collection: string): Promise<void> {
  const [found] = await database.listCollections({ name: collection }, { nameOnly: false }).toArray();
  const { changeStreamPreAndPostImages: images } = (found?.options ?? {}) as {
    readonly changeStreamPreAndPostImages?: { readonly enabled?: boolean };
  };
  if (images?.enabled === true) return;
  const command = `{ collMod: "${collection}", changeStreamPreAndPostImages: { enabled: true } }`;
  const text = `the server does not keep how documents of "${collection}" were before a change; run db.runCommand(${command}), or write before = "available"`;
  throw new Failure('connector_failed', text, { retriable: false });
}
