#!/usr/bin/env bash
# protobufjs 8.8.1: a message with `optional string id` and a field `_id` cannot be loaded.
#
# A compiler of proto3 puts an optional field into a oneof of its own, whose name begins with an underscore, and has to
# choose another name where the message has it already. protobufjs takes `_id` without a look, so that a field of
# that name, as documents of MongoDB have it, is a "duplicate name". Another compiler takes the same file. Writing the
# field without `optional`, or the other one as `id_` with `json_name = "_id"`, avoids it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund protobufjs@8.8.1 @bufbuild/buf@1.75.0

mkdir shop
cat >shop/shop.proto <<'PROTO'
syntax = "proto3";
package shop;
message Answer {
  optional string id = 1;
  string _id = 2;
}
PROTO
npx buf build shop -o shop.json
echo "buf: $(node -p "JSON.parse(fs.readFileSync('shop.json', 'utf8')).file[0].messageType[0].oneofDecl[0].name")"
cat >load.cjs <<'JS'
const protobuf = require('protobufjs');
protobuf.load('shop/shop.proto').then(() => console.log('loaded'), (error) => console.log(error.message));
JS
came=$(node load.cjs)
echo "protobufjs: $came"
test "$came" = "duplicate name '_id' in Type Answer"
