import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { realClock } from "@kedge/machinery";
import { afterEach, expect, it } from "vitest";
import { grpcProbe } from "./grpc-probe.ts";

const servers: Http2Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server of the health protocol: what it answers for a request's bytes. */
async function serve(answer: (stream: ServerHttp2Stream, body: Buffer) => void): Promise<number> {
  const server = createServer();
  servers.push(server);
  server.on("stream", (stream, headers) => {
    expect(headers[":path"]).toBe("/grpc.health.v1.Health/Check");
    const pieces: Buffer[] = [];
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () => answer(stream, Buffer.concat(pieces)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const answering = (status: number, code = "0") =>
  serve((stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () =>
      stream.sendTrailers({ "grpc-status": code, "grpc-message": "no such service" }),
    );
    stream.end(code === "0" ? Buffer.from([0, 0, 0, 0, 2, 8, status]) : undefined);
  });

async function probe(port: number, service?: string) {
  using deadline = realClock.deadline(10_000);
  return await grpcProbe("127.0.0.1", { port, service }, deadline.signal);
}

it.each([
  ["SERVING", 1, { outcome: "success", output: "" }],
  ["NOT_SERVING", 2, { outcome: "failure", output: 'service unhealthy (responded with "NOT_SERVING")' }],
  ["UNKNOWN", 0, { outcome: "failure", output: 'service unhealthy (responded with "UNKNOWN")' }],
])("a server that says %s", async (_name, status, result) => {
  expect(await probe(await answering(status))).toEqual(result);
});

it("names the service that it asks for", async () => {
  let asked = "";
  const port = await serve((stream, body) => {
    asked = body.toString("hex");
    stream.respond({ ":status": 200 }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]));
  });
  expect(await probe(port, "redis")).toEqual({ outcome: "success", output: "" });
  expect(asked).toBe(`00000000070a05${Buffer.from("redis").toString("hex")}`);
});

it("a service that the server does not know", async () => {
  const { outcome, output } = await probe(await answering(0, "5"), "other");
  expect({ outcome, output }).toEqual({
    outcome: "failure",
    output: "error: health rpc probe failed: code = 5 desc = no such service",
  });
});

it("a server without the protocol", async () => {
  expect((await probe(await answering(0, "12"))).output).toContain(
    "does not implement the grpc health protocol",
  );
});

it("nobody listens", async () => {
  expect((await probe(1)).outcome).toBe("failure");
});

it("a server that never answers is given up when the time is over", async () => {
  const port = await serve(() => undefined);
  using deadline = realClock.deadline(50);
  const { outcome, output } = await grpcProbe("127.0.0.1", { port }, deadline.signal);
  expect(outcome).toBe("failure");
  expect(output).toContain("context deadline exceeded");
});
