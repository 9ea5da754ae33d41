#!/usr/bin/env bash
# moto 5.2.5, S3: conditions of CopyObject and CompleteMultipartUpload are passed over.
#
# S3 answers 412 to a copy whose source has another ETag than `x-amz-copy-source-if-match`, and to the end of an upload in
# parts where the object has another one than `If-Match`. The server of moto does both, and the object is replaced. It
# knows the opposite of each, `x-amz-copy-source-if-none-match` and `If-None-Match: *`, and it knows `If-Match` of
# PutObject. A test with it does not find a program that loses what another one wrote.
set -euo pipefail
command -v python3 >/dev/null || { echo 'needs python3'; exit 2; }
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'moto[server]==5.2.5' boto3==1.44.8
port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
venv/bin/python -m moto.server -H 127.0.0.1 -p "$port" >server.log 2>&1 &
server=$!

cat >write.py <<'PY'
import sys
import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

s3 = boto3.client(
    's3', endpoint_url=f'http://127.0.0.1:{sys.argv[1]}', region_name='us-east-1',
    aws_access_key_id='one', aws_secret_access_key='two', config=Config(retries={'total_max_attempts': 8}),
)
s3.create_bucket(Bucket='bucket')
other = '"00000000000000000000000000000000"'


def attempt(name, write):
    s3.put_object(Bucket='bucket', Key='target', Body=b'old')
    source = s3.put_object(Bucket='bucket', Key='source', Body=b'new')['ETag']
    try:
        status = write(source)['ResponseMetadata']['HTTPStatusCode']
    except ClientError as error:
        status = error.response['ResponseMetadata']['HTTPStatusCode']
    print(f"{name}: {status} {s3.get_object(Bucket='bucket', Key='target')['Body'].read().decode()}")


def put(_, **conditions):
    return s3.put_object(Bucket='bucket', Key='target', Body=b'new', **conditions)


def copy(_, **conditions):
    return s3.copy_object(Bucket='bucket', Key='target', CopySource='bucket/source', **conditions)


def complete(_, **conditions):
    upload = {'Bucket': 'bucket', 'Key': 'target'}
    upload['UploadId'] = s3.create_multipart_upload(**upload)['UploadId']
    part = s3.upload_part(**upload, PartNumber=1, Body=b'new')['ETag']
    parts = {'Parts': [{'PartNumber': 1, 'ETag': part}]}
    return s3.complete_multipart_upload(**upload, MultipartUpload=parts, **conditions)


attempt('PutObject, if match', lambda source: put(source, IfMatch=other))
attempt('CopyObject, if none match', lambda source: copy(source, CopySourceIfNoneMatch=source))
attempt('CopyObject, if match', lambda source: copy(source, CopySourceIfMatch=other))
attempt('CompleteMultipartUpload, if none match', lambda source: complete(source, IfNoneMatch='*'))
attempt('CompleteMultipartUpload, if match', lambda source: complete(source, IfMatch=other))
PY
came=$(venv/bin/python write.py "$port")
echo "$came"
test "$came" = 'PutObject, if match: 412 old
CopyObject, if none match: 412 old
CopyObject, if match: 200 new
CompleteMultipartUpload, if none match: 412 old
CompleteMultipartUpload, if match: 200 new'
