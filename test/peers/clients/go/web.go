package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/tmaxmax/go-sse"
)

type object = map[string]any

func order(quantity int, tags []string) object {
	return object{"id": 7, "customer": "Grüße 🎈", "quantity": quantity, "price": 0.1, "paid": true, "tags": tags}
}

func post(client *http.Client, path string, body any) (*http.Response, object) {
	sent, err := json.Marshal(body)
	must(err)
	response, err := client.Post(at.Web+path, "application/json", bytes.NewReader(sent))
	must(err)
	return response, decoded(response)
}

func decoded(response *http.Response) object {
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(err)
	value := object{}
	if len(text) > 0 {
		must(json.Unmarshal(text, &value))
	}
	return value
}

func rest() {
	response, body := post(http.DefaultClient, "/orders", order(2, []string{"a", "b"}))
	found("rest: an order", object{"status": response.StatusCode, "body": body})
	response, body = post(http.DefaultClient, "/orders", order(0, nil))
	found("rest: a refused field", object{"status": response.StatusCode, "body": body})
	response, err := http.Get(at.Web + "/nowhere")
	must(err)
	found("rest: an unknown path", object{"status": response.StatusCode, "body": decoded(response)})
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.Web+"/wait/rest", nil)
	must(err)
	if _, err = http.DefaultClient.Do(request); errors.Is(err, context.DeadlineExceeded) {
		found("rest: a caller that leaves", "timed out")
	}
	streams()
}

// streams asks over one connection of HTTP/2, by prior knowledge.
func streams() {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	quantities := make([]any, 20)
	versions := make([]string, 20)
	var all sync.WaitGroup
	for each := range quantities {
		all.Go(func() {
			response, body := post(client, "/orders", order(each+1, nil))
			quantities[each] = body["order"].(object)["quantity"]
			versions[each] = response.Proto
		})
	}
	all.Wait()
	names := []string{}
	for _, version := range slices.Compact(slices.Sorted(slices.Values(versions))) {
		names = append(names, map[string]string{"HTTP/2.0": "HTTP/2"}[version])
	}
	found("rest: twenty streams of HTTP/2", object{"versions": names, "quantities": quantities})
}

func live() {
	ctx := context.Background()
	socket, _, err := websocket.Dial(ctx, at.Live, nil)
	must(err)
	say := func(kind string, data any) {
		frame, err := json.Marshal(object{"type": kind, "data": data})
		must(err)
		must(socket.Write(ctx, websocket.MessageText, frame))
	}
	read := func() object {
		_, frame, err := socket.Read(ctx)
		must(err)
		value := object{}
		must(json.Unmarshal(frame, &value))
		return value
	}
	say("message", object{"text": "Grüße 🎈"})
	found("websocket: an answer", read())
	must(socket.Write(ctx, websocket.MessageBinary, []byte{0, 255, 16}))
	found("websocket: bytes", read())
	say("refuse", object{"id": 1})
	refused := read()
	found("websocket: a refused message", object{"type": refused["type"], "code": refused["code"]})
	// A pong comes in while something reads.
	reading, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _, _ = socket.Read(reading)
	}()
	must(socket.Ping(ctx))
	code := websocket.StatusAbnormalClosure
	if socket.Close(websocket.StatusNormalClosure, "") == nil {
		code = websocket.StatusNormalClosure
	}
	<-ended
	stop()
	found("websocket: a ping and an orderly end", object{"code": code})
}

func feed() {
	say := func(text string) { post(http.DefaultClient, "/news/go", object{"text": text}) }
	listen := func(last string, wanted int, begun func()) ([]any, string) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.Web+"/events/go", nil)
		must(err)
		request.Header.Set("Accept", "text/event-stream")
		if last != "" {
			request.Header.Set("Last-Event-ID", last)
		}
		response, err := http.DefaultClient.Do(request)
		must(err)
		defer response.Body.Close()
		begun()
		events := []any{}
		for event, err := range sse.Read(response.Body, nil) {
			must(err)
			if event.Data == "" {
				continue
			}
			value := object{}
			must(json.Unmarshal([]byte(event.Data), &value))
			events = append(events, value)
			last = event.LastEventID
			if len(events) == wanted {
				break
			}
		}
		return events, last
	}
	events, last := listen("", 2, func() {
		say("one")
		say("two: Grüße 🎈")
	})
	found("sse: events of a room", events)
	say("three")
	missed, _ := listen(last, 1, func() {})
	found("sse: what was missed", missed[0])
}
