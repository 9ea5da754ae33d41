// The client franz-go: write BROKER TOPIC COMPRESSION [transaction], read BROKER TOPIC COUNT, join BROKER TOPIC GROUP.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log"
	"os"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"
)

type message struct {
	Key     *string     `json:"key"`
	Value   *string     `json:"value"`
	Headers [][2]string `json:"headers"`
}

var codecs = map[string]kgo.CompressionCodec{
	"none":   kgo.NoCompression(),
	"gzip":   kgo.GzipCompression(),
	"snappy": kgo.SnappyCompression(),
	"lz4":    kgo.Lz4Compression(),
	"zstd":   kgo.ZstdCompression(),
}

func main() {
	broker, topic, last := os.Args[2], os.Args[3], os.Args[4]
	switch os.Args[1] {
	case "write":
		write(broker, topic, last, len(os.Args) > 5)
	case "read":
		read(broker, topic, last)
	case "join":
		join(broker, topic, last)
	}
}

func client(broker string, options ...kgo.Opt) *kgo.Client {
	made, err := kgo.NewClient(append(options, kgo.SeedBrokers(broker))...)
	check(err)
	return made
}

func write(broker, topic, compression string, inTransaction bool) {
	options := []kgo.Opt{kgo.DefaultProduceTopic(topic), kgo.ProducerBatchCompression(codecs[compression])}
	if inTransaction {
		options = append(options, kgo.TransactionalID(topic))
	}
	producer := client(broker, options...)
	ctx := context.Background()
	if inTransaction {
		check(producer.BeginTransaction())
		check(producer.ProduceSync(ctx, kgo.KeyStringRecord("aborted", "aborted")).FirstErr())
		check(producer.EndTransaction(ctx, kgo.TryAbort))
		check(producer.BeginTransaction())
	}
	var records []*kgo.Record
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		check(err)
		var read message
		check(json.Unmarshal(line, &read))
		record := &kgo.Record{Key: bytes(read.Key), Value: bytes(read.Value)}
		for _, header := range read.Headers {
			record.Headers = append(record.Headers, kgo.RecordHeader{Key: header[0], Value: []byte(header[1])})
		}
		records = append(records, record)
	}
	check(producer.ProduceSync(ctx, records...).FirstErr())
	if inTransaction {
		check(producer.EndTransaction(ctx, kgo.TryCommit))
	}
	producer.Close()
}

func read(broker, topic, count string) {
	wanted, err := strconv.Atoi(count)
	check(err)
	reader := client(broker, kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	for found := 0; found < wanted; {
		fetched := reader.PollFetches(context.Background())
		check(fetched.Err())
		fetched.EachRecord(show)
		found += fetched.NumRecords()
	}
	reader.Close()
}

func join(broker, topic, group string) {
	member := client(broker, kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.DisableAutoCommit(),
		kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.BlockRebalanceOnPoll())
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		stop()
	}()
	for ctx.Err() == nil {
		fetched := member.PollFetches(ctx)
		fetched.EachRecord(show)
		if fetched.NumRecords() > 0 {
			check(member.CommitUncommittedOffsets(context.Background()))
		}
		member.AllowRebalance()
	}
	member.Close()
}

func show(record *kgo.Record) {
	shown := message{Key: text(record.Key), Value: text(record.Value), Headers: [][2]string{}}
	for _, header := range record.Headers {
		shown.Headers = append(shown.Headers, [2]string{header.Key, string(header.Value)})
	}
	line, err := json.Marshal(shown)
	check(err)
	os.Stdout.Write(append(line, '\n'))
}

func bytes(text *string) []byte {
	if text == nil {
		return nil
	}
	return []byte(*text)
}

func text(bytes []byte) *string {
	if bytes == nil {
		return nil
	}
	made := string(bytes)
	return &made
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
