#!/usr/bin/env bash
# httpx-sse 0.4.3: once an event had an `id`, each comment that keeps the connection alive is an event with empty data.
#
# A block of a stream of events that has no `data` is no event (HTML, 9.2.6: "If the data buffer is an empty string, set
# [...] and return"): servers send `: ping`, or `retry: 1000`, as blocks of their own. The decoder asks whether it has seen
# any field, and the last `id` is kept for good, so that it yields an event for each of them. A program that parses
# `event.data` as JSON fails at the first. `if not event.data: continue` avoids it.
set -euo pipefail
command -v python3 >/dev/null || { echo 'needs python3'; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check httpx-sse==0.4.3 httpx==0.28.1
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund eventsource-parser@3.0.6

cat >stream.txt <<'TEXT'
: ping

retry: 1000

event: opened

id: 1
data: {}

: ping

: ping

TEXT
cat >read.py <<'PY'
import httpx
from httpx_sse import connect_sse

body = open('stream.txt', 'rb').read()
answer = lambda request: httpx.Response(200, headers={'content-type': 'text/event-stream'}, content=body)
with httpx.Client(transport=httpx.MockTransport(answer)) as client:
    with connect_sse(client, 'GET', 'http://example.test/') as source:
        print('httpx-sse:', *(f'{event.event}/{event.id}/{event.data}' for event in source.iter_sse()))
PY
cat >read.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { createParser } from 'eventsource-parser';
const events = [];
createParser({ onEvent: ({ event = 'message', id = '', data }) => events.push(`${event}/${id}/${data}`) }).feed(readFileSync('stream.txt', 'utf8'));
console.log('eventsource-parser:', ...events);
JS
came=$(node read.mjs; venv/bin/python read.py)
echo "$came"
test "$came" = 'eventsource-parser: message/1/{}
httpx-sse: message// opened// message/1/{} message/1/ message/1/'
