"""Calls the service of this folder with the clients of Python, and prints what each call found, one JSON object a line."""

import asyncio
import json
import sys
import time

import grpc
import httpx
import websockets
import zeep
from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.httpx import HTTPXAsyncTransport
from gql.transport.websockets import WebsocketsTransport
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from httpx_sse import aconnect_sse

places = json.loads(sys.argv[1])
orders, orders_grpc = grpc.protos_and_services("orders.proto")

ORDER = {"id": 7, "customer": "Grüße 🎈", "quantity": 2, "price": 0.1, "paid": True}


def found(check, value):
    print(json.dumps({"check": check, "value": value}), flush=True)


async def rest():
    async with httpx.AsyncClient(base_url=places["web"]) as client:
        answer = await client.post("/orders", json={**ORDER, "tags": ["a", "b"]})
        found("rest: an order", {"status": answer.status_code, "body": answer.json()})
        answer = await client.post("/orders", json={**ORDER, "quantity": 0})
        found("rest: a refused field", {"status": answer.status_code, "body": answer.json()})
        answer = await client.get("/nowhere")
        found("rest: an unknown path", {"status": answer.status_code, "body": answer.json()})
        try:
            await client.get("/wait/rest", timeout=0.5)
        except httpx.ReadTimeout:
            found("rest: a caller that leaves", "timed out")
    async with httpx.AsyncClient(base_url=places["web"], http1=False, http2=True) as client:
        asked = [client.post("/orders", json={**ORDER, "quantity": at + 1, "tags": []}) for at in range(20)]
        answers = await asyncio.gather(*asked)
        found("rest: twenty streams of HTTP/2", {
            "versions": sorted({answer.http_version for answer in answers}),
            "quantities": [answer.json()["order"]["quantity"] for answer in answers],
        })


ORDER_INPUT = {"id": "7", "customer": "Grüße 🎈", "quantity": 2, "price": 0.1, "paid": True, "kind": "CLOSED",
               "tags": ["a", "b"], "note": None}
FIELDS = "id customer quantity price paid kind tags note"


async def graphql():
    async with Client(transport=HTTPXAsyncTransport(places["graphql"]), fetch_schema_from_transport=True) as session:
        query = gql("query Get($order: OrderInput!) { order(order: $order) { %s } }" % FIELDS)
        query.variable_values = {"order": ORDER_INPUT}
        found("graphql: a query with variables", await session.execute(query))
        try:
            await session.execute(gql("{ refused { id } }"))
        except TransportQueryError as error:
            found("graphql: an error of a flow", {"data": error.data, "errors": [
                {"message": each["message"], "path": each["path"], "extensions": each["extensions"]}
                for each in error.errors
            ]})
        async with Client(transport=WebsocketsTransport(places["subscriptions"])) as listening:
            events = listening.subscribe(gql("subscription { placed { id kind tags } }"))
            first = asyncio.ensure_future(anext(events))
            place = gql("mutation Place($order: OrderInput!) { place(order: $order) { id note } }")
            place.variable_values = {"order": {**ORDER_INPUT, "note": "by hand"}}
            placed = await session.execute(place)
            while not first.done():
                await asyncio.wait([first], timeout=0.2)
                if not first.done():
                    await session.execute(place)
            found("graphql: a mutation", placed)
            found("graphql: an event of a subscription", await first)
            await events.aclose()


def rpc():
    with grpc.insecure_channel(places["grpc"]) as channel:
        services = ProtoReflectionDescriptorDatabase(channel).get_services()
        found("grpc: services by reflection", sorted(each for each in services if "reflection" not in each))
        state = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest()).status
        found("grpc: its health", health_pb2.HealthCheckResponse.ServingStatus.Name(state))
        desk = orders_grpc.DeskStub(channel)
        sent = orders.Order(id=9007199254740993, customer="Grüße 🎈", quantity=2, price=0.1, paid=True, tags=["a", "b"],
                            seal=bytes([0, 255, 16]), note="")
        answer = desk.Show(sent)
        found("grpc: a message of every kind", {"isSame": answer == sent, "hasNote": answer.HasField("note")})
        found("grpc: a stream of the server",
              [[str(each.id), each.quantity] for each in desk.Follow(orders.Order(id=9007199254740993))])
        collected = desk.Collect(iter([orders.Order(customer=name) for name in ("ana", "ben", "eva")]))
        found("grpc: a stream of the client",
              {"count": collected.count, "customers": [each.customer for each in collected.orders]})
        for check, call in {
            "grpc: a status of a flow": lambda: desk.Refuse(orders.Name(customer="ana")),
            "grpc: a method without a flow": lambda: desk.Absent(orders.Name()),
            "grpc: a deadline": lambda: desk.Wait(orders.Name(customer="deadline"), timeout=0.5),
        }.items():
            try:
                call()
            except grpc.RpcError as error:
                about = {} if check == "grpc: a deadline" else {"message": error.details()}
                found(check, {"status": error.code().name, **about})
        waiting = desk.Wait.future(orders.Name(customer="cancelled"))
        time.sleep(0.3)
        waiting.cancel()
        found("grpc: a call that is cancelled", {"status": waiting.code().name})


def soap():
    client = zeep.Client(places["soap"] + "/wsdl")
    answer = client.service.CreateOrder(**{**ORDER, "id": 9007199254740993, "note": "<by hand>"})
    found("soap: an order", {
        "id": str(answer.id), "customer": answer.customer, "quantity": int(answer.quantity), "price": answer.price,
        "paid": answer.paid, "note": answer.note,
    })
    try:
        client.service.CreateOrder(**{**ORDER, "quantity": 0})
    except zeep.exceptions.Fault as fault:
        names = [each.text for each in fault.detail.iter("{urn:svc:failure}name")]
        codes = [each.text for each in fault.detail.iter("{urn:svc:failure}code")]
        found("soap: a fault with the refused fields", {"code": fault.code.split(":")[-1], "names": names, "codes": codes})


async def live():
    async with websockets.connect(places["live"]) as socket:
        await socket.send(json.dumps({"type": "message", "data": {"text": "Grüße 🎈"}}))
        found("websocket: an answer", json.loads(await socket.recv()))
        await socket.send(bytes([0, 255, 16]))
        found("websocket: bytes", json.loads(await socket.recv()))
        await socket.send(json.dumps({"type": "refuse", "data": {"id": 1}}))
        refused = json.loads(await socket.recv())
        found("websocket: a refused message", {"type": refused["type"], "code": refused["code"]})
        await (await socket.ping())
        await socket.close()
        found("websocket: a ping and an orderly end", {"code": socket.close_code})


async def with_data(source):
    """Events that a page would get: this library gives out those without data too, such as the pause of `retry`."""
    async for event in source.aiter_sse():
        if event.data != "":
            yield event


async def feed():
    async with httpx.AsyncClient(base_url=places["web"], timeout=None) as client:

        async def say(text):
            await client.post("/news/python", json={"text": text})

        async with aconnect_sse(client, "GET", "/events/python") as source:
            events = with_data(source)
            await say("one")
            first = await anext(events)
            await say("two: Grüße 🎈")
            second = await anext(events)
            found("sse: events of a room", [json.loads(each.data) for each in (first, second)])
        await say("three")
        async with aconnect_sse(client, "GET", "/events/python", headers={"Last-Event-ID": second.id}) as source:
            found("sse: what was missed", json.loads((await anext(with_data(source))).data))


async def everything():
    await rest()
    await graphql()
    await asyncio.to_thread(rpc)
    await asyncio.to_thread(soap)
    await live()
    await feed()


asyncio.run(everything())
