import com.hivemq.configuration.service.InternalConfigurations;
import com.hivemq.embedded.EmbeddedHiveMQ;
import java.nio.file.Files;
import java.nio.file.Path;

/** HiveMQ with the settings in the folder that is named, where everybody may connect. */
public class HiveMq {
  public static void main(String[] args) throws Exception {
    InternalConfigurations.AUTH_DENY_UNAUTHENTICATED_CONNECTIONS.set(false);
    Path folder = Path.of(args[0]);
    EmbeddedHiveMQ broker = EmbeddedHiveMQ.builder()
      .withConfigurationFolder(folder)
      .withDataFolder(Files.createDirectory(folder.resolve("data")))
      .withExtensionsFolder(Files.createDirectory(folder.resolve("extensions")))
      .build();
    broker.start().join();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> broker.stop().join()));
    Thread.currentThread().join();
  }
}
