"""The client of Confluent: write BROKER TOPIC COMPRESSION [transaction], read BROKER TOPIC COUNT, join BROKER TOPIC GROUP."""

import json
import select
import sys

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition


def write(broker, topic, compression, *modes):
    settings = {"bootstrap.servers": broker, "enable.idempotence": True, "compression.type": compression}
    if modes:
        settings["transactional.id"] = topic
    producer = Producer(settings)
    failures = []

    def delivered(error, _message):
        if error is not None:
            failures.append(error)

    if modes:
        producer.init_transactions()
        producer.begin_transaction()
        producer.produce(topic, key="aborted", value="aborted")
        producer.flush()
        producer.abort_transaction()
        producer.begin_transaction()
    for line in sys.stdin:
        message = json.loads(line)
        headers = [(name, value.encode()) for name, value in message["headers"]]
        producer.produce(topic, key=message["key"], value=message["value"], headers=headers, on_delivery=delivered)
    if modes:
        producer.commit_transaction()
    if producer.flush(60) > 0 or failures:
        sys.exit(f"not delivered: {failures}")


def consumer(broker, group):
    return Consumer(
        {
            "bootstrap.servers": broker,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "partition.assignment.strategy": "cooperative-sticky",
        }
    )


def read(broker, topic, count):
    reader = consumer(broker, "unused")
    partitions = reader.list_topics(topic).topics[topic].partitions
    reader.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions])
    for _ in range(int(count)):
        show(taken(reader))
    reader.close()


def taken(reader):
    while True:
        message = reader.poll(0.2)
        if message is None:
            continue
        if message.error() is None:
            return message
        if message.error().code() != KafkaError._PARTITION_EOF:
            sys.exit(str(message.error()))


def join(broker, topic, group):
    member = consumer(broker, group)
    member.subscribe([topic])
    while not select.select([sys.stdin], [], [], 0)[0]:
        message = member.poll(0.1)
        if message is None:
            continue
        if message.error() is not None:
            sys.exit(str(message.error()))
        show(message)
        member.commit(message, asynchronous=False)
    member.close()


def text(value):
    return None if value is None else value.decode()


def show(message):
    headers = [[name, text(value)] for name, value in message.headers() or []]
    print(json.dumps({"key": text(message.key()), "value": text(message.value()), "headers": headers}), flush=True)


{"write": write, "read": read, "join": join}[sys.argv[1]](*sys.argv[2:])
