#!/usr/bin/env node
'use strict';

// Starts the program under a Node that is new enough. Written for old ones, since it may be run by one.

const fs = require('fs');
const path = require('path');
const findNode = require('./find-node.js');
const supervise = require('./supervise.js');

const program = path.join(__dirname, '..', 'dist', 'main.js');

function fail(message) {
  process.stderr.write('svc: ' + message + '\n');
  process.exit(1);
}

const found = findNode();
if (found.problem) {
  fail(found.problem);
} else if (!fs.existsSync(program)) {
  fail(program + ' is not there: build it with "npm run build".');
} else if (found.executable === process.execPath) {
  // The program sees the arguments that it would have if it had been started directly.
  process.argv[1] = program;
  import(require('url').pathToFileURL(program).href).catch((error) => {
    fail((error && error.stack) || String(error));
  });
} else {
  supervise(found.executable, [program].concat(process.argv.slice(2)));
}
