#!/usr/bin/env bash
# pg-logical-replication 2.5.0: identifiers of types above 2147483647 are negative numbers.
#
# An OID of PostgreSQL is an unsigned number of 32 bits. The parser of pgoutput reads that of a column's type with a sign,
# and looks its reader up by that in `pg-types`. A reader that a program has registered under the real identifier is
# never found, so that values of the type stay texts in a database whose counter has passed the middle. `typeOid >>> 0` is
# the identifier.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund pg-logical-replication@2.5.0 pg@8.22.0

cat >relation.cjs <<'JS'
const { PgoutputPlugin } = require('pg-logical-replication');
const pg = require('pg');
const type = 3_000_000_000;
pg.types.setTypeParser(type, (text) => `read: ${text}`);
const number = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value) => Buffer.from(`${value}\0`);
const column = Buffer.concat([Buffer.of(0), text('mood'), number(type), number(0xffffffff)]);
const relation = Buffer.concat([Buffer.from('R'), number(16400), text('public'), text('people'), Buffer.from('d'), Buffer.of(0, 1), column]);
const value = Buffer.concat([Buffer.from('t'), number(5), Buffer.from('happy')]);
const insert = Buffer.concat([Buffer.from('I'), number(16400), Buffer.from('N'), Buffer.of(0, 1), value]);
const plugin = new PgoutputPlugin({ protoVersion: 1, publicationNames: ['all'] });
console.log(`sent: ${type}, came: ${plugin.parse(relation).columns[0].typeOid}`);
console.log(`value: ${plugin.parse(insert).new.mood}`);
JS
came=$(node relation.cjs)
echo "$came"
test "$came" = 'sent: 3000000000, came: -1294967296
value: happy'
