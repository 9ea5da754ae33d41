import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import jakarta.xml.ws.Dispatch;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.io.InterruptedIOException;
import java.io.StringReader;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.xml.namespace.QName;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.Source;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMResult;
import javax.xml.transform.stream.StreamSource;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import okhttp3.sse.EventSource;
import okhttp3.sse.EventSourceListener;
import okhttp3.sse.EventSources;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Calls the service with the clients of Java, and prints what each call found, one JSON object a line. */
public class Client {
  static final ObjectMapper json = new ObjectMapper();
  static final MediaType jsonType = MediaType.get("application/json");
  static final OkHttpClient http = new OkHttpClient();
  static JsonNode places;

  public static void main(String[] args) throws Exception {
    places = json.readTree(args[0]);
    rest();
    graphql();
    rpc();
    soap();
    live();
    feed();
    System.exit(0);
  }

  static void found(String check, Object value) throws Exception {
    System.out.println(json.writeValueAsString(Map.of("check", check, "value", value)));
  }

  static Map<String, Object> order(int quantity, Object... tags) {
    var order = new TreeMap<String, Object>(
        Map.of("id", 7, "customer", "Grüße 🎈", "quantity", quantity, "price", 0.1, "paid", true));
    order.put("tags", tags);
    return order;
  }

  static Request posted(String url, Object body) throws Exception {
    return new Request.Builder().url(url).post(RequestBody.create(json.writeValueAsBytes(body), jsonType)).build();
  }

  static String web(String path) {
    return places.get("web").asText() + path;
  }

  static JsonNode body(Response answer) throws Exception {
    return json.readTree(answer.body().bytes());
  }

  static Object told(Request request) throws Exception {
    try (var answer = http.newCall(request).execute()) {
      return Map.of("status", answer.code(), "body", body(answer));
    }
  }

  static void rest() throws Exception {
    found("rest: an order", told(posted(web("/orders"), order(2, "a", "b"))));
    found("rest: a refused field", told(posted(web("/orders"), order(0))));
    found("rest: an unknown path", told(new Request.Builder().url(web("/nowhere")).build()));
    var brief = http.newBuilder().callTimeout(Duration.ofMillis(500)).build();
    try (var answer = brief.newCall(new Request.Builder().url(web("/wait/rest")).build()).execute()) {
      found("rest: a caller that leaves", "answered");
    } catch (InterruptedIOException late) {
      found("rest: a caller that leaves", "timed out");
    }
    var streams = http.newBuilder().protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)).build();
    var answers = new ArrayList<CompletableFuture<Integer>>();
    var versions = java.util.Collections.synchronizedSet(new TreeSet<String>());
    for (int at = 1; at <= 20; at++) {
      var request = posted(web("/orders"), order(at));
      answers.add(CompletableFuture.supplyAsync(() -> {
        try (var answer = streams.newCall(request).execute()) {
          versions.add(answer.protocol() == Protocol.H2_PRIOR_KNOWLEDGE ? "HTTP/2" : answer.protocol().toString());
          return body(answer).get("order").get("quantity").asInt();
        } catch (Exception error) {
          throw new RuntimeException(error);
        }
      }));
    }
    var quantities = new ArrayList<Integer>();
    for (var answer : answers) quantities.add(answer.get());
    found("rest: twenty streams of HTTP/2", Map.of("versions", versions, "quantities", quantities));
  }

  static Object asked(String query, Object order) {
    return Map.of("query", query, "variables", order == null ? Map.of() : Map.of("order", order));
  }

  static void graphql() throws Exception {
    var url = places.get("graphql").asText();
    var order = order(2, "a", "b");
    order.put("id", "7");
    order.put("kind", "CLOSED");
    order.put("note", null);
    var fields = "{ id customer quantity price paid kind tags note }";
    try (var answer = http.newCall(posted(url, asked("query($order: OrderInput!) { order(order: $order) " + fields + " }", order))).execute()) {
      found("graphql: a query with variables", body(answer).get("data"));
    }
    try (var answer = http.newCall(posted(url, asked("{ refused { id } }", null))).execute()) {
      var told = body(answer);
      var errors = new ArrayList<Object>();
      for (var each : told.get("errors"))
        errors.add(Map.of("message", each.get("message"), "path", each.get("path"), "extensions", each.get("extensions")));
      found("graphql: an error of a flow", Map.of("data", told.get("data"), "errors", errors));
    }
    var events = new Events();
    var subscribe = posted(url, asked("subscription { placed { id kind tags } }", null)).newBuilder()
        .header("Accept", "text/event-stream").build();
    var source = EventSources.createFactory(http).newEventSource(subscribe, events);
    events.opened.get(20, TimeUnit.SECONDS);
    order.put("note", "by hand");
    var place = posted(url, asked("mutation($order: OrderInput!) { place(order: $order) { id note } }", order));
    try (var answer = http.newCall(place).execute()) {
      found("graphql: a mutation", body(answer).get("data"));
    }
    found("graphql: an event of a subscription", json.readTree(events.next().data()).get("data"));
    source.cancel();
  }

  record Event(String id, String data) {}

  static class Events extends EventSourceListener {
    final CompletableFuture<Void> opened = new CompletableFuture<>();
    final BlockingQueue<Event> queue = new LinkedBlockingQueue<>();

    @Override
    public void onOpen(EventSource source, Response answer) {
      opened.complete(null);
    }

    @Override
    public void onEvent(EventSource source, String id, String type, String data) {
      if (!data.isEmpty()) queue.add(new Event(id, data));
    }

    @Override
    public void onFailure(EventSource source, Throwable error, Response answer) {
      opened.completeExceptionally(error == null ? new RuntimeException("HTTP " + answer.code()) : error);
    }

    Event next() throws Exception {
      return queue.poll(20, TimeUnit.SECONDS);
    }
  }

  /** Knows nothing but an address: it learns the messages by reflection. */
  static void rpc() throws Exception {
    ManagedChannel channel = Grpc.newChannelBuilder(places.get("grpc").asText(), InsecureChannelCredentials.create()).build();
    var services = new ArrayList<String>();
    for (var each : reflected(channel, ServerReflectionRequest.newBuilder().setListServices("").build())
        .getListServicesResponse().getServiceList())
      if (!each.getName().contains("reflection")) services.add(each.getName());
    found("grpc: services by reflection", services);
    var state = HealthGrpc.newBlockingStub(channel).check(HealthCheckRequest.getDefaultInstance());
    found("grpc: its health", state.getStatus().name());
    var files = reflected(channel, ServerReflectionRequest.newBuilder().setFileContainingSymbol("orders.Desk").build())
        .getFileDescriptorResponse();
    var file = FileDescriptor.buildFrom(FileDescriptorProto.parseFrom(files.getFileDescriptorProto(0)), new FileDescriptor[0]);
    var desk = file.findServiceByName("Desk");
    var kind = file.findMessageTypeByName("Order");
    var sent = DynamicMessage.newBuilder(kind);
    var values = Map.of("id", 9007199254740993L, "customer", "Grüße 🎈", "quantity", 2, "price", 0.1, "paid", true,
        "tags", List.of("a", "b"), "seal", ByteString.copyFrom(new byte[] {0, (byte) 255, 16}), "note", "");
    values.forEach((name, value) -> sent.setField(kind.findFieldByName(name), value));
    var order = sent.build();
    var answer = ClientCalls.blockingUnaryCall(channel, method(desk, "Show"), CallOptions.DEFAULT, order);
    found("grpc: a message of every kind",
        Map.of("isSame", answer.equals(order), "hasNote", answer.hasField(kind.findFieldByName("note"))));
    var followed = new ArrayList<Object>();
    var asked = DynamicMessage.newBuilder(kind).setField(kind.findFieldByName("id"), 9007199254740993L).build();
    ClientCalls.blockingServerStreamingCall(channel, method(desk, "Follow"), CallOptions.DEFAULT, asked)
        .forEachRemaining(each -> followed.add(List.of(field(each, "id").toString(), field(each, "quantity"))));
    found("grpc: a stream of the server", followed);
    collect(channel, desk, kind);
    var name = file.findMessageTypeByName("Name");
    found("grpc: a status of a flow", status(channel, desk, "Refuse", named(name, "ana"), CallOptions.DEFAULT, true));
    found("grpc: a method without a flow", status(channel, desk, "Absent", named(name, ""), CallOptions.DEFAULT, true));
    var soon = CallOptions.DEFAULT.withDeadlineAfter(500, TimeUnit.MILLISECONDS);
    found("grpc: a deadline", status(channel, desk, "Wait", named(name, "deadline"), soon, false));
    var waiting = ClientCalls.futureUnaryCall(channel.newCall(method(desk, "Wait"), CallOptions.DEFAULT), named(name, "cancelled"));
    Thread.sleep(300);
    waiting.cancel(true);
    found("grpc: a call that is cancelled", Map.of("status", waiting.isCancelled() ? "CANCELLED" : "OK"));
    channel.shutdownNow();
  }

  static ServerReflectionResponse reflected(Channel channel, ServerReflectionRequest request) throws Exception {
    var answer = new CompletableFuture<ServerReflectionResponse>();
    var asking = ServerReflectionGrpc.newStub(channel).serverReflectionInfo(new Answers<>(answer));
    asking.onNext(request);
    asking.onCompleted();
    return answer.get(20, TimeUnit.SECONDS);
  }

  record Answers<T>(CompletableFuture<T> first) implements StreamObserver<T> {
    @Override
    public void onNext(T value) {
      first.complete(value);
    }

    @Override
    public void onError(Throwable error) {
      first.completeExceptionally(error);
    }

    @Override
    public void onCompleted() {}
  }

  static void collect(Channel channel, ServiceDescriptor desk, Descriptor kind) throws Exception {
    var collected = new CompletableFuture<DynamicMessage>();
    var call = channel.newCall(method(desk, "Collect"), CallOptions.DEFAULT);
    var asking = ClientCalls.asyncClientStreamingCall(call, new Answers<>(collected));
    for (var customer : List.of("ana", "ben", "eva")) asking.onNext(named(kind, customer));
    asking.onCompleted();
    var answer = collected.get(20, TimeUnit.SECONDS);
    var customers = new ArrayList<Object>();
    for (var each : (List<?>) field(answer, "orders")) customers.add(field((DynamicMessage) each, "customer"));
    found("grpc: a stream of the client", Map.of("count", field(answer, "count"), "customers", customers));
  }

  static DynamicMessage named(Descriptor kind, String customer) {
    return DynamicMessage.newBuilder(kind).setField(kind.findFieldByName("customer"), customer).build();
  }

  static Object field(DynamicMessage message, String name) {
    return message.getField(message.getDescriptorForType().findFieldByName(name));
  }

  static MethodDescriptor<DynamicMessage, DynamicMessage> method(ServiceDescriptor desk, String name) {
    var found = desk.findMethodByName(name);
    var type = found.isServerStreaming() ? MethodDescriptor.MethodType.SERVER_STREAMING
        : found.isClientStreaming() ? MethodDescriptor.MethodType.CLIENT_STREAMING : MethodDescriptor.MethodType.UNARY;
    return MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder().setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(desk.getFullName(), name))
        .setRequestMarshaller(ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(found.getInputType())))
        .setResponseMarshaller(ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(found.getOutputType()))).build();
  }

  static Object status(Channel channel, ServiceDescriptor desk, String name, DynamicMessage sent, CallOptions options,
      boolean withMessage) {
    try {
      ClientCalls.blockingUnaryCall(channel, method(desk, name), options, sent);
      return "answered";
    } catch (StatusRuntimeException error) {
      var status = error.getStatus();
      var code = status.getCode().name();
      return withMessage ? Map.of("status", code, "message", status.getDescription()) : Map.of("status", code);
    }
  }

  static final String orders = "http://desk.test/orders";

  /** Reads the WSDL, and takes its port. */
  static void soap() throws Exception {
    var wsdl = URI.create(places.get("soap").asText() + "/wsdl").toURL();
    var names = DocumentBuilderFactory.newInstance();
    names.setNamespaceAware(true);
    Document described;
    try (var stream = wsdl.openStream()) {
      described = names.newDocumentBuilder().parse(stream);
    }
    var service = (Element) described.getElementsByTagNameNS("*", "service").item(0);
    var made = Service.create(wsdl, new QName(orders, service.getAttribute("name")));
    var port = made.getPorts().next();
    Dispatch<Source> dispatch = made.createDispatch(port, Source.class, Service.Mode.PAYLOAD);
    var answer = tree(dispatch.invoke(sent("9007199254740993", 2)));
    found("soap: an order", Map.of("id", child(answer, "id"), "customer", child(answer, "customer"), "quantity",
        Integer.parseInt(child(answer, "quantity")), "price", Double.parseDouble(child(answer, "price")), "paid",
        Boolean.parseBoolean(child(answer, "paid")), "note", child(answer, "note")));
    try {
      dispatch.invoke(sent("7", 0));
    } catch (SOAPFaultException fault) {
      var detail = fault.getFault().getDetail();
      found("soap: a fault with the refused fields", Map.of("code", fault.getFault().getFaultCodeAsQName().getLocalPart(),
          "names", texts(detail.getElementsByTagNameNS("urn:svc:failure", "name")), "codes",
          texts(detail.getElementsByTagNameNS("urn:svc:failure", "code"))));
    }
  }

  static Source sent(String id, int quantity) {
    return new StreamSource(new StringReader("<o:CreateOrder xmlns:o='" + orders + "'><id>" + id
        + "</id><customer>Grüße 🎈</customer><quantity>" + quantity
        + "</quantity><price>0.1</price><paid>true</paid><note>&lt;by hand&gt;</note></o:CreateOrder>"));
  }

  static Element tree(Source source) throws Exception {
    var result = new DOMResult();
    TransformerFactory.newInstance().newTransformer().transform(source, result);
    return ((Document) result.getNode()).getDocumentElement();
  }

  static String child(Element of, String name) {
    return of.getElementsByTagName(name).item(0).getTextContent();
  }

  static List<String> texts(NodeList nodes) {
    var texts = new ArrayList<String>();
    for (int at = 0; at < nodes.getLength(); at++) texts.add(nodes.item(at).getTextContent());
    return texts;
  }

  static void live() throws Exception {
    var frames = new LinkedBlockingQueue<String>();
    var closed = new CompletableFuture<Integer>();
    var pinging = http.newBuilder().pingInterval(Duration.ofMillis(200)).build();
    var socket = pinging.newWebSocket(new Request.Builder().url(places.get("live").asText()).build(), new WebSocketListener() {
      @Override
      public void onMessage(WebSocket from, String text) {
        frames.add(text);
      }

      @Override
      public void onClosed(WebSocket from, int code, String reason) {
        closed.complete(code);
      }

      @Override
      public void onFailure(WebSocket from, Throwable error, Response answer) {
        closed.completeExceptionally(error);
      }
    });
    socket.send(json.writeValueAsString(Map.of("type", "message", "data", Map.of("text", "Grüße 🎈"))));
    found("websocket: an answer", json.readTree(frames.poll(20, TimeUnit.SECONDS)));
    socket.send(okio.ByteString.of(new byte[] {0, (byte) 255, 16}));
    found("websocket: bytes", json.readTree(frames.poll(20, TimeUnit.SECONDS)));
    socket.send(json.writeValueAsString(Map.of("type", "refuse", "data", Map.of("id", 1))));
    var refused = json.readTree(frames.poll(20, TimeUnit.SECONDS));
    found("websocket: a refused message", Map.of("type", refused.get("type"), "code", refused.get("code")));
    // A ping without its pong ends the connection in an error at the next one.
    Thread.sleep(700);
    socket.close(1000, null);
    found("websocket: a ping and an orderly end", Map.of("code", closed.get(20, TimeUnit.SECONDS)));
  }

  static void feed() throws Exception {
    var request = new Request.Builder().url(web("/events/java")).build();
    var events = new Events();
    var source = EventSources.createFactory(http).newEventSource(request, events);
    events.opened.get(20, TimeUnit.SECONDS);
    say("one");
    var first = events.next();
    say("two: Grüße 🎈");
    var second = events.next();
    found("sse: events of a room", List.of(json.readTree(first.data()), json.readTree(second.data())));
    source.cancel();
    say("three");
    var later = new Events();
    var again = request.newBuilder().header("Last-Event-ID", second.id()).build();
    EventSources.createFactory(http).newEventSource(again, later);
    found("sse: what was missed", json.readTree(later.next().data()));
  }

  static void say(String text) throws Exception {
    try (var answer = http.newCall(posted(web("/news/java"), Map.of("text", text))).execute()) {
      answer.body().bytes();
    }
  }
}
