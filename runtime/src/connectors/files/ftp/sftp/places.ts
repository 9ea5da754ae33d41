import type { Stats } from 'ssh2';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { folderOf, nameOf } from '../../path.ts';
import { status, statusOf } from './failure.ts';
import type { SftpSession } from './session.ts';

/** Where a path leads to on the server, through links. Rejects where that is not below the root. */
export async function placeOf(session: SftpSession, path: string): Promise<string> {
  if (path === '') return session.root || '/';
  const written = at(session, path);
  const real = await unlessMissing(session.ask<string>((answer) => session.sftp.realpath(written, answer)));
  if (real !== undefined) return contained(session, real, path);
  // What does not exist is where it would be, unless it is a link to what does not exist.
  if ((await linkStats(session, path))?.isSymbolicLink()) throw leadsOut(path);
  return entryPlaceOf(session, path);
}

/** The entry of a path in its folder: of a link, the link itself. */
export async function entryPlaceOf(session: SftpSession, path: string): Promise<string> {
  const folder = await placeOf(session, folderOf(path));
  return folder === '/' ? `/${nameOf(path)}` : `${folder}/${nameOf(path)}`;
}

/** What is there, of a link what it leads to; undefined where nothing is. */
export function statsAt(session: SftpSession, place: string): Promise<Stats | undefined> {
  return unlessMissing(session.ask<Stats>((answer) => session.sftp.stat(place, answer)));
}

/** Makes a folder, and those around it. Others may make it meanwhile. */
export async function makeFolders(session: SftpSession, path: string): Promise<string> {
  const place = await placeOf(session, path);
  const there = await statsAt(session, place);
  if (there?.isDirectory()) return place;
  if (there !== undefined) throw new Failure('value_refused', `"${path}" is not a folder`);
  await makeFolders(session, folderOf(path));
  try {
    await session.ask<void>((answer) => session.sftp.mkdir(place, (error) => answer(error, undefined)));
  } catch (error) {
    if (statusOf(error) === undefined || !(await statsAt(session, place))?.isDirectory()) throw error;
  }
  return place;
}

export async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (statusOf(error) === status.missing) return undefined;
    throw error;
  }
}

function linkStats(session: SftpSession, path: string): Promise<Stats | undefined> {
  return unlessMissing(session.ask<Stats>((answer) => session.sftp.lstat(at(session, path), answer)));
}

function at({ root }: SftpSession, path: string): string {
  return `${root}/${path}`;
}

function contained({ root }: SftpSession, real: string, path: string): string {
  if (real === root || real.startsWith(`${root}/`)) return real;
  throw leadsOut(path);
}

function leadsOut(path: string): Failure {
  return new Failure('value_refused', `"${path}" leads out of its folder through a link`);
}
