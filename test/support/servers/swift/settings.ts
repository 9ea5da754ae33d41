/** Who may sign requests to the server of the tests: the access key, and its secret. */
export const swiftKeys = { access: 'test:tester', secret: 'a+kept/secret', region: 'us-east-1' } as const;

/** The smallest part of an upload in parts, which is 5 MiB at AWS: here tests need not send as much. */
export const smallestPart = 1024 * 1024;

export interface Layout {
  readonly folder: string;
  /** The account that the servers run as. */
  readonly user: string;
  readonly ports: Readonly<Record<ServerName | 'proxy' | 'memcached', number>>;
}

/** The servers behind the proxy, each with a ring that says where it is. */
export const serverNames = ['account', 'container', 'object'] as const;
export type ServerName = (typeof serverNames)[number];

/** Name of the only device of the rings, a folder. */
export const device = 'd1';

function everyServer({ folder, user, ports }: Layout, port: keyof Layout['ports']): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${ports[port]}
workers = 0
user = ${user}
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
fallocate_reserve = 0
disable_fallocate = true
log_level = ERROR
`;
}

/** The file of one of the servers behind the proxy. */
export function serverFile(layout: Layout, name: ServerName): string {
  return `${everyServer(layout, name)}
[pipeline:main]
pipeline = ${name}-server

[app:${name}-server]
use = egg:swift#${name}
recon_cache_path = ${layout.folder}
`;
}

/** The file of the proxy, which speaks S3: it checks signatures of version 4. */
export function proxyFile(layout: Layout): string {
  const { access, secret, region } = swiftKeys;
  return `${everyServer(layout, 'proxy')}
[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth bulk slo dlo versioned_writes symlink proxy-server

[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${layout.ports.memcached}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = ${region}
min_segment_size = ${smallestPart}
allow_multipart_uploads = true
check_bucket_owner = false
s3_acl = false
[filter:tempauth]
use = egg:swift#tempauth
user_${access.replace(':', '_')} = ${secret} .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
min_segment_size = 1
rate_limit_after_segment = 10000
[filter:dlo]
use = egg:swift#dlo
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
allow_object_versioning = true
[filter:symlink]
use = egg:swift#symlink

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
`;
}

/** What all of them read. */
export const commonFile = `[swift-hash]
swift_hash_path_suffix = tests
swift_hash_path_prefix = tests

[storage-policy:0]
name = Policy-0
default = yes
`;
