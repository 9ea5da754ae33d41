#!/usr/bin/env bash
# mongodb 7.9.0: a document of 17 MiB and more makes a RangeError of Node, and not an error of the driver.
#
# A server says how large a document may be (`maxBsonObjectSize`, 16 MiB). insertMany() throws MongoInvalidArgumentError for
# a larger one, which names the size, but makes its bytes before it looks, in a buffer of 17 MiB: what does not fit throws
# "ERR_OUT_OF_RANGE" with a text about `offset`, as insertOne() does. `error instanceof MongoError` is false for it, so
# that a program which tells errors of the database from its own mistakes by it takes a large document for a mistake. The
# server (FerretDB 1.24.2 here) is not asked. `BSON.calculateObjectSize` tells before.
set -euo pipefail
for program in go node; do command -v "$program" >/dev/null || { echo "needs $program"; exit 2; }; done
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund mongodb@7.9.0

cat >main.go <<'GO'
package main

import (
	"context"
	"os"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: "127.0.0.1:" + os.Args[1]},
		Handler:   "sqlite",
		SQLiteURL: "file:" + os.Args[2] + "/",
	})
	if err != nil {
		panic(err)
	}
	_ = server.Run(context.Background())
}
GO
{ go mod init finding && go get github.com/FerretDB/FerretDB/ferretdb@v1.24.2 && go build -p 2 -o server .; } >build.log 2>&1 || { cat build.log; exit 2; }
free() { node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }
port=$(free)
mkdir data
./server "$port" data >server.log 2>&1 &
server=$!

cat >insert.mjs <<'JS'
import { BSON, MongoClient, MongoError } from 'mongodb';
const client = await new MongoClient(`mongodb://127.0.0.1:${process.argv[2]}/`).connect();
const people = client.db('one').collection('people');
const { maxBsonObjectSize } = await client.db('admin').command({ hello: 1 });
console.log(`maxBsonObjectSize: ${maxBsonObjectSize}`);
const attempt = async (name, insert) => {
  const said = await insert().then(() => 'inserted', (error) => `${error.name}, MongoError ${error instanceof MongoError}, ${error.message}`);
  console.log(`${name}: ${said}`);
};
const large = (mebibytes) => ({ text: 'x'.repeat(mebibytes * 1024 * 1024) });
await attempt('16.5 MiB, insertMany', () => people.insertMany([large(16.5)]));
await attempt('17 MiB, insertMany', () => people.insertMany([large(17)]));
await attempt('17 MiB, insertOne', () => people.insertOne(large(17)));
console.log(`17 MiB, calculateObjectSize: ${BSON.calculateObjectSize(large(17))}`);
await client.close();
JS
came=$(node insert.mjs "$port")
echo "$came"
range='RangeError, MongoError false, The value of "offset" is out of range. It must be >= 0 && <= 17825792. Received'
test "$(echo "$came" | sed 's/Received [0-9_]*$/Received/')" = "maxBsonObjectSize: 16777216
16.5 MiB, insertMany: MongoInvalidArgumentError, MongoError true, Document is larger than the maximum size 16777216
17 MiB, insertMany: $range
17 MiB, insertOne: $range
17 MiB, calculateObjectSize: 17825808"
