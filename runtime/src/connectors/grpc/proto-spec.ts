import { block, flag, int, list, text } from '@svc/protocol/schema';
import { operationAttributes, operationLabel, param } from '../core/spec.ts';

/** What servers and clients say of their messages. */
export const protoAttributes = {
  proto_path: text(
    'Folder with the `.proto` files, below the directory of the configuration; imports are looked for below it alone.',
    { example: '"./proto"' },
  ),
  proto_files: list('Files that are read, by their paths below `proto_path`. Default: all of them.', text('File.'), {
    example: '["shop/orders.proto"]',
  }),
  emit_defaults: flag(
    'Whether fields that were left at their default (0, false, an empty text or list) are there. Without it they are absent, as in the JSON of Protobuf.',
    { default: false },
  ),
  max_recv_mb: int('Largest message that is received, in MiB, after it was decompressed.', {
    default: 4,
    min: 1,
    max: 1024,
  }),
  max_send_mb: int('Largest message that is sent, in MiB.', { default: 4, min: 1, max: 1024 }),
};

/** `operation "name"`, of either side. */
export const namedMethod = block({
  doc: 'A method under a name that flows can write.',
  label: operationLabel,
  repeated: true,
  attributes: {
    ...operationAttributes,
    service: text('The service, with or without its package.', { required: true, example: '"shop.Orders"' }),
    rpc: text('The method.', { required: true, example: '"GetOrder"' }),
  },
  blocks: { param },
});
