#!/usr/bin/env bash
# OpenSearch 2.19.6: an update of a document in an index that does not exist fails, and makes the index.
#
# `POST /INDEX/_update/ID` without `upsert` answers 404 "document_missing_exception", as it does for an index that has no
# such document, and the index is there from then on. A search and a read answer 404 "index_not_found_exception", and make
# none. So a typing error in a name leaves an empty index, which later searches take for the right one. The cluster's
# setting `action.auto_create_index: false` avoids it, and `require_alias` for names that are aliases.
set -euo pipefail
for program in mvn java javac node; do command -v "$program" >/dev/null || { echo "needs $program"; exit 2; }; done
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait; rm -rf "$folder"' EXIT
cd "$folder"

cat >pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>opensearch</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.opensearch</groupId>
      <artifactId>opensearch</artifactId>
      <version>2.19.6</version>
    </dependency>
    <dependency>
      <groupId>org.opensearch.plugin</groupId>
      <artifactId>transport-netty4-client</artifactId>
      <version>2.19.6</version>
    </dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId>
      <artifactId>log4j-core</artifactId>
      <version>2.25.4</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -q -B dependency:build-classpath -Dmdep.outputFile=classpath
cat >Launcher.java <<'JAVA'
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

public final class Launcher extends Node {
  private Launcher(Environment environment) {
    super(environment, List.of(Netty4Plugin.class), false);
  }

  public static void main(String[] arguments) throws Exception {
    Settings settings =
        Settings.builder()
            .put("path.home", Path.of(arguments[0]).toString())
            .put("http.port", arguments[1])
            .put("transport.port", arguments[2])
            .put("network.host", "127.0.0.1")
            .put("discovery.type", "single-node")
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .build();
    new Launcher(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "one")).start();
    Thread.currentThread().join();
  }
}
JAVA
javac -cp "$(cat classpath)" Launcher.java
free() { node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }
port=$(free) transport=$(free)
mkdir -p home/config
java -Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp ".:$(cat classpath)" Launcher home "$port" "$transport" >server.log 2>&1 &
server=$!

cat >update.mjs <<'JS'
import { setTimeout as wait } from 'node:timers/promises';
const address = `http://127.0.0.1:${process.argv[2]}`;
for (let tries = 300; tries > 0; tries -= 1, await wait(500)) {
  const answer = await fetch(`${address}/_cluster/health`).catch(() => undefined);
  if (answer?.ok) break;
}
const indices = async () => (await (await fetch(`${address}/_cat/indices?format=json`)).json()).map(({ index }) => index);
const ask = async (name, method, path, body) => {
  const answer = await fetch(`${address}${path}`, { method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
  const { error } = await answer.json();
  console.log(`${name}: ${answer.status} ${error?.type ?? 'done'}, indices: ${(await indices()).join() || 'none'}`);
};
await ask('search', 'POST', '/people/_search', {});
await ask('read', 'GET', '/people/_doc/1');
await ask('update, alias', 'POST', '/people/_update/1?require_alias=true', { doc: { name: 'x' } });
await ask('update', 'POST', '/people/_update/1', { doc: { name: 'x' } });
await ask('setting', 'PUT', '/_cluster/settings', { persistent: { action: { auto_create_index: 'false' } } });
await ask('update, setting', 'POST', '/places/_update/1', { doc: { name: 'x' } });
JS
came=$(node update.mjs "$port")
echo "$came"
test "$came" = 'search: 404 index_not_found_exception, indices: none
read: 404 index_not_found_exception, indices: none
update, alias: 404 index_not_found_exception, indices: none
update: 404 document_missing_exception, indices: people
setting: 200 done, indices: people
update, setting: 404 index_not_found_exception, indices: people'
