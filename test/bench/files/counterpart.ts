import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { rename, stat, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const folder = join(process.argv[2]!, 'files');
mkdirSync(folder);

/** Written beside the file, on the disk, and then under its name: what comes half is never seen. */
async function upload(request: IncomingMessage, response: ServerResponse, name: string): Promise<void> {
  const beside = join(folder, `${randomBytes(12).toString('hex')}.tmp`);
  const file = createWriteStream(beside, { flags: 'wx', flush: true });
  try {
    await pipeline(request, file);
    await rename(beside, join(folder, name));
  } catch (error) {
    await unlink(beside);
    throw error;
  }
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify({ bytes: file.bytesWritten }));
}

async function download(response: ServerResponse, name: string): Promise<void> {
  const path = join(folder, name);
  const { size } = await stat(path);
  response.setHeader('content-type', 'application/octet-stream');
  response.setHeader('content-length', size);
  await pipeline(createReadStream(path), response);
}

const server = createServer((request, response) => {
  const name = basename(request.url ?? '');
  const served =
    request.url === '/health/live'
      ? Promise.resolve(void response.end('{"status":"alive"}'))
      : request.method === 'PUT'
        ? upload(request, response, name)
        : download(response, name);
  served.catch(() => response.destroy());
});
server.requestTimeout = 300_000;
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit());
