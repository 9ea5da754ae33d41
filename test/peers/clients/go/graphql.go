package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/Khan/genqlient/graphql"
	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

func graphQL() {
	ctx := context.Background()
	client := graphql.NewClient(at.GraphQL, http.DefaultClient)
	sent := OrderInput{Id: "7", Customer: "Grüße 🎈", Quantity: 2, Price: 0.1, Paid: true, Kind: KindClosed, Tags: []string{"a", "b"}}
	got, err := Get(ctx, client, sent)
	must(err)
	found("graphql: a query with variables", got)
	refused, err := Refused(ctx, client)
	var failures gqlerror.List
	if errors.As(err, &failures) {
		told := []object{}
		for _, each := range failures {
			told = append(told, object{"message": each.Message, "path": each.Path, "extensions": each.Extensions})
		}
		found("graphql: an error of a flow", object{"data": refused, "errors": told})
	}
	subscriptions := graphql.NewClientUsingWebSocket(at.Subscriptions, dialer{}, graphql.WithConnectionParams(nil))
	failed, err := subscriptions.Start(ctx)
	must(err)
	events, _, err := Placed(ctx, subscriptions)
	must(err)
	note := "by hand"
	sent.Note = &note
	placed, err := Place(ctx, client, sent)
	must(err)
	found("graphql: a mutation", placed)
	for waiting := true; waiting; {
		select {
		case event := <-events:
			if len(event.Errors) > 0 {
				panic(event.Errors)
			}
			found("graphql: an event of a subscription", event.Data)
			waiting = false
		case err := <-failed:
			must(err)
		case <-time.After(200 * time.Millisecond):
			// The subscription may have begun after the mutation.
			_, err = Place(ctx, client, sent)
			must(err)
		}
	}
	// It ends the subscription too. Unsubscribe before it makes it panic.
	must(subscriptions.Close())
}

// dialer gives the connections of another library to the client of GraphQL.
type dialer struct{}

func (dialer) DialContext(ctx context.Context, url string, header http.Header) (graphql.WSConn, error) {
	socket, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPHeader:   header,
		Subprotocols: []string{"graphql-transport-ws"},
	})
	return connection{socket}, err
}

// closing is the kind of a frame that ends a connection (RFC 6455, 5.5.1).
const closing = 8

type connection struct{ socket *websocket.Conn }

func (c connection) Close() error {
	return c.socket.Close(websocket.StatusNormalClosure, "")
}

func (c connection) WriteMessage(kind int, data []byte) error {
	if kind == closing {
		// Close writes it.
		return nil
	}
	return c.socket.Write(context.Background(), websocket.MessageType(kind), data)
}

func (c connection) ReadMessage() (int, []byte, error) {
	kind, data, err := c.socket.Read(context.Background())
	return int(kind), data, err
}
