import java.nio.file.Path;
import java.util.Map;
import org.apache.qpid.server.SystemLauncher;

/** Qpid Broker-J with the configuration in the file that is named. */
public class Qpid {
  public static void main(String[] args) throws Exception {
    SystemLauncher broker = new SystemLauncher();
    String configuration = Path.of(args[0]).toUri().toString();
    broker.startup(Map.of("type", "Memory", "initialConfigurationLocation", configuration));
    Runtime.getRuntime().addShutdownHook(new Thread(broker::shutdown));
    Thread.currentThread().join();
  }
}
