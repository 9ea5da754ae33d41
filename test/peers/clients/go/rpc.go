package main

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/jhump/protoreflect/v2/grpcdynamic"
	"github.com/jhump/protoreflect/v2/grpcreflect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// rpc knows nothing but an address: it learns the messages by reflection.
func rpc() {
	ctx := context.Background()
	channel, err := grpc.NewClient(at.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	defer channel.Close()
	reflection := grpcreflect.NewClientAuto(ctx, channel)
	names, err := reflection.ListServices()
	must(err)
	services := []string{}
	for _, each := range names {
		if each != "grpc.reflection.v1.ServerReflection" && each != "grpc.reflection.v1alpha.ServerReflection" {
			services = append(services, string(each))
		}
	}
	slices.Sort(services)
	found("grpc: services by reflection", services)
	state, err := health.NewHealthClient(channel).Check(ctx, &health.HealthCheckRequest{})
	must(err)
	found("grpc: its health", state.Status.String())
	file, err := reflection.FileContainingSymbol("orders.Desk")
	must(err)
	desk := file.Services().ByName("Desk")
	stub := grpcdynamic.NewStub(channel)
	method := func(name protoreflect.Name) protoreflect.MethodDescriptor { return desk.Methods().ByName(name) }
	kind := method("Show").Input()
	sent := message(kind, object{
		"id": int64(9007199254740993), "customer": "Grüße 🎈", "quantity": int32(2), "price": 0.1, "paid": true,
		"seal": []byte{0, 255, 16}, "note": "",
	})
	tags := sent.Mutable(kind.Fields().ByName("tags")).List()
	tags.Append(protoreflect.ValueOfString("a"))
	tags.Append(protoreflect.ValueOfString("b"))
	answer, err := stub.InvokeRPC(ctx, method("Show"), sent)
	must(err)
	found("grpc: a message of every kind", object{
		"isSame":  bytes.Equal(encoded(sent), encoded(answer)),
		"hasNote": answer.ProtoReflect().Has(answer.ProtoReflect().Descriptor().Fields().ByName("note")),
	})
	stream, err := stub.InvokeRPCServerStream(ctx, method("Follow"), message(kind, object{"id": int64(9007199254740993)}))
	must(err)
	followed := [][]any{}
	for {
		each, err := stream.RecvMsg()
		if err != nil {
			break
		}
		followed = append(followed, []any{strconv.FormatInt(field(each, "id").Int(), 10), field(each, "quantity").Int()})
	}
	found("grpc: a stream of the server", followed)
	collected, err := collect(ctx, stub, method("Collect"), kind)
	must(err)
	customers := []string{}
	list := field(collected, "orders").List()
	for each := range list.Len() {
		customers = append(customers, field(list.Get(each).Message().Interface(), "customer").String())
	}
	found("grpc: a stream of the client", object{"count": field(collected, "count").Int(), "customers": customers})
	name := func(customer string) proto.Message {
		return message(method("Refuse").Input(), object{"customer": customer})
	}
	_, err = stub.InvokeRPC(ctx, method("Refuse"), name("ana"))
	found("grpc: a status of a flow", said(err, true))
	_, err = stub.InvokeRPC(ctx, method("Absent"), name(""))
	found("grpc: a method without a flow", said(err, true))
	short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	_, err = stub.InvokeRPC(short, method("Wait"), name("deadline"))
	found("grpc: a deadline", said(err, false))
	leaving, leave := context.WithCancel(ctx)
	time.AfterFunc(300*time.Millisecond, leave)
	_, err = stub.InvokeRPC(leaving, method("Wait"), name("cancelled"))
	found("grpc: a call that is cancelled", said(err, false))
}

func collect(ctx context.Context, stub *grpcdynamic.Stub, method protoreflect.MethodDescriptor, kind protoreflect.MessageDescriptor) (proto.Message, error) {
	stream, err := stub.InvokeRPCClientStream(ctx, method)
	must(err)
	for _, customer := range []string{"ana", "ben", "eva"} {
		must(stream.SendMsg(message(kind, object{"customer": customer})))
	}
	return stream.CloseAndReceive()
}

func message(kind protoreflect.MessageDescriptor, values object) *dynamicpb.Message {
	made := dynamicpb.NewMessage(kind)
	for name, value := range values {
		made.Set(kind.Fields().ByName(protoreflect.Name(name)), protoreflect.ValueOf(value))
	}
	return made
}

func field(of proto.Message, name protoreflect.Name) protoreflect.Value {
	reflected := of.ProtoReflect()
	return reflected.Get(reflected.Descriptor().Fields().ByName(name))
}

func encoded(of proto.Message) []byte {
	written, err := proto.MarshalOptions{Deterministic: true}.Marshal(of)
	must(err)
	return written
}

var statuses = map[codes.Code]string{
	codes.Aborted: "ABORTED", codes.Unimplemented: "UNIMPLEMENTED", codes.DeadlineExceeded: "DEADLINE_EXCEEDED",
	codes.Canceled: "CANCELLED", codes.OK: "OK",
}

func said(err error, withMessage bool) object {
	told := object{"status": statuses[status.Code(err)]}
	if withMessage {
		told["message"] = status.Convert(err).Message()
	}
	return told
}
