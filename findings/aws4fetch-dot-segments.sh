#!/usr/bin/env bash
# aws4fetch 1.0.20: the key of an object with a "." segment is signed and sent as another key.
#
# An object store takes any text for a key, so that `a/./b` and `a/b` are two objects. The signer makes a `URL` of the
# address, which removes such segments, and gives this address back for the request: it is signed correctly, for the other
# object. `encodedPath` and a request that does not parse its address again avoid it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund aws4fetch@1.0.20

cat >sign.mjs <<'JS'
import { AwsV4Signer } from 'aws4fetch';
for (const key of ['a/b', 'a/./b', 'a//b']) {
  const credentials = { accessKeyId: 'one', secretAccessKey: 'two', datetime: '20260101T000000Z' };
  const signed = await new AwsV4Signer({ url: `https://bucket.example.test/${key}`, service: 's3', ...credentials }).sign();
  const signature = signed.headers.get('authorization').split('Signature=')[1].slice(0, 8);
  console.log(`${key}: ${signed.url.pathname} ${signature}`);
}
JS
came=$(node sign.mjs)
echo "$came"
one=$(echo "$came" | sed -n 's|^a/b: ||p')
dotted=$(echo "$came" | sed -n 's|^a/\./b: ||p')
double=$(echo "$came" | sed -n 's|^a//b: ||p')
test "${one% *}" = /a/b
test "$dotted" = "$one"
test "${double% *}" = /a//b
