#!/usr/bin/env bash
# basic-ftp 6.2.6: a reply that comes in two pieces is cut off at the first.
#
# A reply of FTP is a line that ends with CRLF (RFC 959, 4.2), which TCP may deliver in any number of pieces. The client
# takes a piece that begins with three digits and a space for the whole line: `send` resolves with a part of the message,
# and the rest of the line is dropped. `pwd()` then answers nothing, or a part of the folder's name when the piece ends at a
# quote. A program that needs the text of replies must hold back what has no end of line.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund basic-ftp@6.2.6

cat >pieces.mjs <<'JS'
import { createServer } from 'node:net';
import { Client } from 'basic-ftp';
const reply = '257 "/warehouse/incoming" is the current folder\r\n';
const server = createServer((socket) => {
  socket.setNoDelay(true).on('error', () => undefined);
  socket.write('220 ready\r\n');
  socket.on('data', (piece) => {
    if (!`${piece}`.startsWith('PWD')) return socket.write('200 ok\r\n');
    socket.write(reply.slice(0, 16));
    setTimeout(() => socket.write(reply.slice(16)), 200);
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = new Client();
await client.connect('127.0.0.1', server.address().port);
console.log(`sent: ${reply.trim()}`);
console.log(`came: ${(await client.send('PWD')).message}`);
client.close();
server.close();
JS
came=$(node pieces.mjs)
echo "$came"
test "$(echo "$came" | tail -1)" = 'came: 257 "/warehouse/'
