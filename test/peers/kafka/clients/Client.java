import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The client of Apache Kafka: `write BROKER TOPIC COMPRESSION [transaction]`, `read BROKER TOPIC COUNT`, `join BROKER TOPIC GROUP`. */
public class Client {
  static final ObjectMapper json = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "write" -> write(args[1], args[2], args[3], args.length > 4);
      case "read" -> read(args[1], args[2], Integer.parseInt(args[3]));
      case "join" -> join(args[1], args[2], args[3]);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  static void write(String broker, String topic, String compression, boolean inTransaction) throws Exception {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", broker);
    settings.put("enable.idempotence", true);
    settings.put("compression.type", compression);
    if (inTransaction) settings.put("transactional.id", topic);
    var producer = new KafkaProducer<String, String>(settings, new StringSerializer(), new StringSerializer());
    if (inTransaction) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, "aborted", "aborted")).get();
      producer.abortTransaction();
      producer.beginTransaction();
    }
    List<Future<?>> sent = new ArrayList<>();
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = lines.readLine()) != null; ) {
      JsonNode message = json.readTree(line);
      var record = new ProducerRecord<String, String>(topic, message.get("key").textValue(), message.get("value").textValue());
      for (JsonNode header : message.get("headers"))
        record.headers().add(header.get(0).textValue(), header.get(1).textValue().getBytes(StandardCharsets.UTF_8));
      sent.add(producer.send(record));
    }
    if (inTransaction) producer.commitTransaction();
    for (Future<?> each : sent) each.get();
    producer.close();
  }

  static KafkaConsumer<String, String> consumer(String broker, String group) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", broker);
    settings.put("auto.offset.reset", "earliest");
    settings.put("isolation.level", "read_committed");
    if (group != null) settings.put("group.id", group);
    return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
  }

  static void read(String broker, String topic, int count) throws Exception {
    try (var consumer = consumer(broker, null)) {
      var partitions = consumer.partitionsFor(topic).stream().map(each -> new TopicPartition(topic, each.partition())).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      for (int found = 0; found < count; )
        for (var record : consumer.poll(Duration.ofMillis(200))) {
          print(record);
          found++;
        }
    }
  }

  static void join(String broker, String topic, String group) throws Exception {
    try (var consumer = consumer(broker, group)) {
      consumer.subscribe(List.of(topic));
      while (System.in.available() == 0) {
        for (var record : consumer.poll(Duration.ofMillis(100))) print(record);
        consumer.commitSync();
      }
    }
  }

  static void print(ConsumerRecord<String, String> record) throws Exception {
    List<List<String>> headers = new ArrayList<>();
    for (var header : record.headers()) headers.add(List.of(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("key", record.key());
    message.put("value", record.value());
    message.put("headers", headers);
    System.out.println(json.writeValueAsString(message));
  }
}
