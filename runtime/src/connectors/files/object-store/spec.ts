import type { ConnectorValues } from '@svc/protocol/schema';
import { block, connector, duration, flag, int, oneOf, size, text } from '@svc/protocol/schema';
import { httpForm } from '../../../platform/net/spoken/form.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { fileAttributes, fileOperation, fileTarget, fileWords } from '../spec.ts';
import { watchBlock, watchSource } from '../watch/spec.ts';
import { keyNaming } from './key.ts';
import { objectStore } from './parameters.ts';

const mebibyte = 1024 * 1024;

const headerText = {
  source: '^[\\x21-\\x7e](?:[\\x20-\\x7e]*[\\x21-\\x7e])?$',
  says: 'must be of US-ASCII, without blanks around it',
} as const;

const retry = block({
  doc: 'Repeats requests that were not answered, or answered with 429 or a status from 500 on, 501 aside. Each can be repeated: it does the same twice; one with a condition is not, unless the store did nothing. A transfer that breaks continues where it was.',
  attributes: {
    attempts: int('Attempts in all, the first included.', {
      aliases: ['max_attempts'],
      default: 3,
      min: 1,
      max: 100,
    }),
    delay: duration('Wait before the second attempt; spread by 20 %.', {
      aliases: ['initial_delay'],
      default: 100,
      min: 0,
    }),
    max_delay: duration('Longest wait between attempts.', { default: 30_000, min: 0 }),
    backoff: oneOf('How the wait grows.', ['constant', 'linear', 'exponential'], { default: 'exponential' }),
  },
});

const config = block({
  doc: 'Reads and writes objects of a bucket over the S3 API. An object is replaced at once when every byte has come. Larger ones are sent in parts as they come; a process that is killed leaves the parts of its upload, which a lifecycle rule for incomplete uploads removes.',
  attributes: {
    bucket: text('Name of the bucket.', {
      required: true,
      pattern: {
        source: '^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$',
        says: 'must be 2 to 255 letters, digits, dots, hyphens and underscores',
      },
      example: '"invoices"',
    }),
    region: text(
      'Region of the bucket. When absent: `AWS_REGION`, `AWS_DEFAULT_REGION`, that of the shared files, `us-east-1`.',
      { pattern: { source: '^[A-Za-z0-9-]+$', says: 'must be the name of a region' }, example: '"eu-central-1"' },
    ),
    access_key: text('Access key. Without keys they are looked for where programs for AWS find them.', {
      secret: true,
    }),
    secret_key: text('Secret of the access key.', { secret: true }),
    session_token: text('Token of temporary keys.', { secret: true }),
    endpoint: text('Address of another store than that of AWS.', {
      pattern: {
        source: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
        says: 'must be an http:// or https:// address without credentials',
      },
      example: '"https://s3.internal:9000"',
    }),
    use_path_style: flag('Names the bucket in paths rather than in the name of the host.', { default: false }),
    prefix: text('Folder of all keys: no flow reads or writes others, and flows do not see it.', {
      pattern: {
        source: '^(?!/)(?!(?:.*/)?\\.{1,2}(?:/|$))(?!.*//)[^\\\\\\x00-\\x1f]+$',
        says: 'must be a key without empty names, . and ..',
      },
      example: '"reports/"',
    }),
    timeout: duration('Longest time of a call, with all its transfers and attempts. Absent: as long as it takes.', {
      min: 1,
    }),
    request_timeout: duration(
      'Longest wait for one answer, and longest silence within one; ten times as long for what the store does alone, such as a copy.',
      { default: 60_000, min: 1 },
    ),
    part_size: size(
      'Bytes of a part. What has no more is sent at once; a file has at most 10,000 parts. The memory of an upload is that of `upload_concurrency` parts and one.',
      { default: 8 * mebibyte, min: 1 * mebibyte, max: 1024 * mebibyte },
    ),
    upload_concurrency: int('Parts of an upload that are sent side by side.', { default: 2, min: 1, max: 16 }),
    storage_class: text('Storage class of objects that are written.', {
      pattern: headerText,
      example: '"STANDARD_IA"',
    }),
    acl: text('Canned access control list of objects that are written.', { pattern: headerText, example: '"private"' }),
    server_side_encryption: oneOf('How the store encrypts objects that are written.', [
      'AES256',
      'aws:kms',
      'aws:kms:dsse',
    ]),
    kms_key_id: text('Key of `aws:kms`.', { pattern: headerText }),
    watch_interval: duration('Time between two looks at the objects; each is a list, which stores charge for.', {
      default: 30_000,
      min: 10,
    }),
    ...fileAttributes,
    ...everyConnector.attributes,
  },
  blocks: { watch: watchBlock, retry, tls: tlsBlock },
  rules: [
    { rule: 'together', name: 'access_key', needs: ['secret_key'] },
    { rule: 'together', name: 'secret_key', needs: ['access_key'] },
    { rule: 'together', name: 'session_token', needs: ['access_key'] },
    { rule: 'together', name: 'kms_key_id', needs: ['server_side_encryption'] },
  ],
  example: `connector "invoices" {
  type       = "object_store"
  bucket     = "invoices"
  region     = "eu-central-1"
  access_key = env("S3_ACCESS_KEY")
  secret_key = env("S3_SECRET_KEY")
}`,
});

const parts = {
  kind: 'file',
  canonical: 'object_store',
  speaks: ({ endpoint }: ConnectorValues) => httpForm('endpoint', endpoint),
  config,
  source: watchSource(keyNaming),
  operation: fileOperation(objectStore),
  target: fileTarget(objectStore),
  words: fileWords,
} as const;

/** Objects of a bucket of Amazon S3, or of a store that speaks its protocol. */
export const objectStoreConnector = connector({
  ...parts,
  type: 'object_store',
  typeAliases: ['s3'],
  driver: 's3',
  defaultDriver: true,
});

/** The same, as configurations write it that see it as a kind of files. */
export const s3Files = connector({ ...parts, type: 'file', driver: 's3' });
