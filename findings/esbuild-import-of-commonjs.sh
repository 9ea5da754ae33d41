#!/usr/bin/env bash
# esbuild 0.28.1: with `splitting`, import() of a CommonJS file gives a module with a default export alone.
#
# Node detects the names of a CommonJS file, so that `const { name } = await import('./file.cjs')` works there. The bundle of
# the same code has undefined for each of these names; the build ends without an error and without a warning. Without
# `splitting` the bundle has them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund esbuild@0.28.1

echo 'exports.name = "found";' >part.cjs
echo 'const { name } = await import("./part.cjs"); console.log(String(name));' >entry.mjs

bundle() { npx esbuild entry.mjs --bundle --format=esm --platform=node --outdir="$1" --out-extension:.js=.mjs "${@:2}" 2>&1; }
said=$(bundle split --splitting --log-level=warning)
bundle whole --log-level=warning >/dev/null

came="node: $(node entry.mjs), whole: $(node whole/entry.mjs), split: $(node split/entry.mjs), warnings: ${said:-none}"
echo "$came"
test "$came" = 'node: found, whole: found, split: undefined, warnings: none'
