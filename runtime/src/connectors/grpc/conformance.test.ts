import { rmSync } from 'node:fs';
import { type ServiceError, status } from '@grpc/grpc-js';
import { afterAll } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import type { FailureCode } from '../../foundation/errors/failures.ts';
import {
  requestServerConformance,
  type ServedAnswer,
} from '../../service/running/testing/request-server-conformance.ts';
import { credentialsOf } from '../../service/running/testing/served-answer.ts';
import { targetConformance } from '../testing/target-conformance.ts';
import { callOnce, definitionsOf } from './testing/proto-client.ts';
import { targetBed } from './testing/target-bed.ts';

const suite = `syntax = "proto3";
package suite;
import "google/protobuf/struct.proto";

message Asked {
  google.protobuf.Value text = 1;
  optional int32 zero = 2;
  optional double amount = 3;
}

message Answer {
  optional string name = 1;
  optional int32 version = 2;
  optional string text = 3;
  optional bool ok = 4;
}

service Suite {
  rpc who (Asked) returns (Answer);
  rpc echo (Asked) returns (Answer);
  rpc slow (Asked) returns (Answer);
  rpc broken (Asked) returns (Answer);
  rpc checked (Asked) returns (Answer);
}
`;

const directory = folderWith({ 'suite.proto': suite });
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const definitions = definitionsOf(suite);

/** A value as `google.protobuf.Value` has it. */
function anyValue(value: unknown): object {
  return Array.isArray(value) ? { listValue: { values: value.map(anyValue) } } : { stringValue: String(value) };
}

requestServerConformance('grpc', {
  connector: 'type = "grpc"',
  operation: (name) => `Suite/${name}`,
  limit: 'max_recv_mb = 1',
  largest: 1024 * 1024,
  directory,
  ask: async (port, name, { fields = {}, caller } = {}) => {
    const { text, ...others } = fields;
    try {
      const value = await callOnce(port, {
        path: `/suite.Suite/${name}`,
        request: definitions.lookupType('suite.Asked'),
        response: definitions.lookupType('suite.Answer'),
        message: { ...others, ...(text !== undefined && { text: anyValue(text) }) },
        metadata: credentialsOf(caller),
      });
      return { value };
    } catch (error) {
      return refusedBy(error as ServiceError);
    }
  },
});

/** Rejects when the call reached no server. */
function refusedBy(error: ServiceError): ServedAnswer {
  if (/^No connection established/.test(error.details)) throw error;
  const details = error.metadata?.get('grpc-status-details-bin').join('') ?? '';
  const [, code] = /google\.rpc\.ErrorInfo[^A-Z]*([A-Z_]+)/.exec(details) ?? [];
  // The library itself refuses what is too large, and has no code for it.
  const isTooLarge = code === undefined && error.code === status.RESOURCE_EXHAUSTED;
  const known = isTooLarge ? 'body_too_large' : (code?.toLowerCase() as FailureCode | undefined);
  return { refused: { code: known, text: `${error.details} ${details}` } };
}

targetConformance('grpc client', targetBed);
