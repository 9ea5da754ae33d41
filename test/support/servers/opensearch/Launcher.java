import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/** One node of OpenSearch with the modules that its distribution has: arguments are its folder, and its two ports. */
public final class Launcher {
  private static final List<Class<? extends Plugin>> MODULES =
      List.of(Netty4Plugin.class, PainlessPlugin.class, ReindexPlugin.class, CommonAnalysisPlugin.class);

  private static final class ModularNode extends Node {
    ModularNode(Environment environment, Collection<Class<? extends Plugin>> modules) {
      super(environment, modules, false);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path home = Path.of(arguments[0]);
    Files.createDirectories(home.resolve("config"));
    Settings settings =
        Settings.builder()
            .put("path.home", home.toString())
            .put("http.port", arguments[1])
            .put("transport.port", arguments[2])
            .put("network.host", "127.0.0.1")
            .put("discovery.type", "single-node")
            .put("node.name", "test")
            .put("cluster.name", "test")
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .build();
    Node node = new ModularNode(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "test"), MODULES);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node)));
    node.start();
    Thread.currentThread().join();
  }

  private static void close(Node node) {
    try {
      node.close();
    } catch (Exception error) {
      error.printStackTrace();
    }
  }
}
