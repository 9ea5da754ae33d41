// Calls the service with the clients of Go, and prints what each call found, one JSON object a line.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

type places struct {
	Web, Live, GraphQL, Subscriptions, GRPC string
}

var at places

func found(check string, value any) {
	line, err := json.Marshal(map[string]any{"check": check, "value": value})
	must(err)
	fmt.Println(string(line))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	must(json.Unmarshal([]byte(os.Args[1]), &at))
	rest()
	graphQL()
	rpc()
	live()
	feed()
}
