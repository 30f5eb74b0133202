import { text } from "node:stream/consumers";
import { Readable } from "node:stream";
import {
  findStatus,
  realClock,
  type ApiResponse,
  type MessageStream,
  type Status,
  type UpgradeRequest,
} from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import type { ConnectSubresource, ConnectTarget } from "../registry/types.ts";
import { podConnects } from "./pod-connects.ts";
import { podTarget } from "./testing/pod-target.ts";
import { startKubelet } from "./testing/scripted-kubelet.ts";
import type { NodeProxyOptions } from "./types.ts";

const v4 = "v4.channel.k8s.io";
const v5 = "v5.channel.k8s.io";
const request = { method: "GET", path: "/", headers: {} };

/** For what is refused before a node is asked. */
const offline: NodeProxyOptions = {
  clientCertificate: { certificate: "", key: "" },
  authority: undefined,
  clock: realClock,
};

function connect(
  subresource: ConnectSubresource,
  target: ConnectTarget,
  signal?: AbortSignal,
): Promise<ApiResponse> {
  if (subresource.connect === undefined) throw new Error("there is no connect");
  return subresource.connect(target, { ...request, signal });
}

async function upgrade(
  subresource: ConnectSubresource,
  target: ConnectTarget,
  protocols: readonly string[],
  more: Partial<UpgradeRequest> = {},
): Promise<MessageStream> {
  const opened = await subresource.upgrade?.(target, { ...request, ...more, protocols });
  if (opened === undefined || "status" in opened) throw new Error("no stream was opened");
  return opened;
}

async function failureOf(promise: Promise<unknown>): Promise<Status> {
  const status = await promise.then(() => undefined, findStatus);
  if (status === undefined) throw new Error("it did not fail with a Status");
  return status;
}

function bodyText(response: ApiResponse): Promise<string> {
  return text(Readable.from(response.body));
}

describe("a log", () => {
  test("is passed on with its options, as the API server's user", async () => {
    await using kubelet = await startKubelet({ log: (_, response) => response.end("one\ntwo\n") });
    const { log } = podConnects(kubelet.options);
    const target = podTarget({ port: kubelet.port, query: "follow=true&tailLines=5&previous=false" });
    const response = await connect(log, target);
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe("text/plain");
    expect(await bodyText(response)).toBe("one\ntwo\n");
    expect(kubelet.asked).toEqual([
      "GET /containerLogs/default/web/main?follow=true&tailLines=5 as kube-apiserver",
    ]);
  });

  test("that is followed arrives line by line, and ends with its reader", async () => {
    const closed = Promise.withResolvers<void>();
    await using kubelet = await startKubelet({
      log: (_, response) => {
        response.write("first\n");
        response.once("close", closed.resolve);
      },
    });
    const target = podTarget({ port: kubelet.port, query: "follow=true" });
    const response = await connect(podConnects(kubelet.options).log, target);
    for await (const piece of response.body) {
      expect(Buffer.from(piece).toString()).toBe("first\n");
      break;
    }
    await closed.promise;
  });

  test("that is followed ends with its request", async () => {
    const closed = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await using kubelet = await startKubelet({
      log: (_, response) => {
        asked.resolve();
        response.once("close", closed.resolve);
      },
    });
    const abort = new AbortController();
    const target = podTarget({ port: kubelet.port, query: "follow=true" });
    const response = connect(podConnects(kubelet.options).log, target, abort.signal);
    await asked.promise;
    abort.abort();
    await expect(response).rejects.toThrow(/error dialing backend/);
    await closed.promise;
  });

  test("of a pod without a node is empty", async () => {
    const response = await connect(podConnects(offline).log, podTarget({ nodeName: "" }));
    expect(response.status).toBe(204);
    expect(await bodyText(response)).toBe("");
  });

  test("that the node refuses is an error in the node's words", async () => {
    const message = 'container "main" in pod "web" is waiting to start: ContainerCreating';
    await using kubelet = await startKubelet({
      log: (_, response) => {
        response.writeHead(400);
        response.end(message);
      },
    });
    const failed = connect(podConnects(kubelet.options).log, podTarget({ port: kubelet.port }));
    expect(await failureOf(failed)).toMatchObject({ code: 400, reason: "BadRequest", message });
  });

  test("of a node whose certificate another authority signed is an error, unless the asker trusts it", async () => {
    await using kubelet = await startKubelet({ log: (_, response) => response.end("x") });
    await using other = await startKubelet({});
    const { log } = podConnects({ ...kubelet.options, authority: other.options.authority });
    const strict = connect(log, podTarget({ port: kubelet.port }));
    expect(await failureOf(strict)).toMatchObject({ code: 500, reason: "InternalError" });
    const query = "insecureSkipTLSVerifyBackend=true";
    expect(await bodyText(await connect(log, podTarget({ port: kubelet.port, query })))).toBe("x");
  });

  test.each([
    ["tailLines=-1", 422, "tailLines: Invalid value: -1: must be greater than or equal to 0"],
    ["sinceSeconds=0", 422, "sinceSeconds: Invalid value: 0: must be greater than 0"],
    ["limitBytes=0", 422, "limitBytes: Invalid value: 0: must be greater than 0"],
    ["tailLines=many", 400, 'strconv.ParseInt: parsing "many": invalid syntax'],
    ["stream=Std", 422, 'stream: Unsupported value: "Std"'],
  ])("with %s is a %d", async (query, code, message) => {
    const status = await failureOf(connect(podConnects(offline).log, podTarget({ query })));
    expect(status.code).toBe(code);
    expect(status.message).toContain(message);
  });
});

describe("every stream", () => {
  test.each([
    [
      "needs a container when there are several",
      { containers: ["a", "b"], initContainers: ["i"] },
      "a container name must be specified for pod web, choose one of: [i a b]",
    ],
    ["needs one that the pod has", { query: "container=x" }, "container x is not valid for pod web"],
    ["needs a node", { nodeName: "" }, "pod web does not have a host assigned"],
    ["needs a node that exists", { nodeName: "gone" }, 'nodes "gone" not found'],
  ])("%s", async (_, facts, message) => {
    const { exec, attach } = podConnects(offline);
    for (const subresource of [exec, attach]) {
      const viaWebSocket = upgrade(subresource, podTarget(facts), [v5]);
      expect((await failureOf(viaWebSocket)).message).toBe(message);
      // kubectl tries again without a WebSocket, and must hear the same.
      expect((await failureOf(connect(subresource, podTarget(facts)))).message).toBe(message);
    }
  });

  test("without a WebSocket is refused with what to do", async () => {
    const { exec, attach, portforward } = podConnects(offline);
    for (const subresource of [exec, attach, portforward]) {
      const status = await failureOf(connect(subresource, podTarget({})));
      expect(status).toMatchObject({ code: 400, reason: "BadRequest" });
      expect(status.message).toMatch(/^Upgrade request required: WebSockets .* and SPDY\/3\.1 are served/);
    }
  });

  test("with a protocol that nobody knows is refused", async () => {
    const { exec, portforward, log } = podConnects(offline);
    const protocols = ["SPDY/3.1+other.k8s.io"];
    const failures = [
      upgrade(exec, podTarget({}), protocols),
      upgrade(portforward, podTarget({ query: "ports=6379" }), protocols),
      upgrade(portforward, podTarget({ query: "ports=6379" }), []),
    ];
    for (const failure of failures)
      expect((await failureOf(failure)).message).toMatch(/v4\.channel\.k8s\.io/);
    expect((await failureOf(upgrade(log, podTarget({}), protocols))).message).toMatch(/binary\.k8s\.io/);
  });
});

describe("old protocols", () => {
  const status = (said: string): Buffer => Buffer.concat([Buffer.from([3]), Buffer.from(said)]);
  const failure = { kind: "Status", status: "Failure", message: "exit code 1" };

  test.each([
    ["", ["\u0001out", "\u0003exit code 1"]],
    ["channel.k8s.io", ["\u0001out", "\u0003exit code 1"]],
    ["base64.channel.k8s.io", ["1b3V0", "3ZXhpdCBjb2RlIDE="]],
    ["v4.base64.channel.k8s.io", ["1b3V0", `3${Buffer.from(JSON.stringify(failure)).toString("base64")}`]],
  ])("%s tells output and failure in its own words", async (protocol, expected) => {
    const heard: number[][] = [];
    await using kubelet = await startKubelet({
      stream: (socket) => {
        socket.once("message", (message: Buffer) => {
          heard.push([...message]);
          socket.send(Buffer.from("\u0001out"));
          socket.send(status(JSON.stringify(failure)));
          socket.close(1000);
        });
      },
    });
    const { exec } = podConnects(kubelet.options);
    const stream = await upgrade(exec, podTarget({ port: kubelet.port }), protocol === "" ? [] : [protocol]);
    expect(stream.protocol).toBe(protocol);
    await stream.send(Buffer.from(protocol.includes("base64") ? "0aGk=" : "\u0000hi"));
    const messages = await Array.fromAsync(stream.messages, (message) => Buffer.from(message).toString());
    expect(messages).toEqual(expected);
    expect(heard).toEqual([[0, 104, 105]]);
  });

  test("of a command that succeeds nothing is told", async () => {
    await using kubelet = await startKubelet({
      stream: (socket) => {
        socket.send(status(JSON.stringify({ ...failure, status: "Success" })));
        socket.close(1000);
      },
    });
    const { exec } = podConnects(kubelet.options);
    const stream = await upgrade(exec, podTarget({ port: kubelet.port }), ["channel.k8s.io"]);
    expect(await Array.fromAsync(stream.messages)).toEqual([]);
  });

  test.each([
    [[], "", "one\n"],
    [["binary.k8s.io"], "binary.k8s.io", "one\n"],
    [["base64.binary.k8s.io"], "base64.binary.k8s.io", "b25lCg=="],
  ])("a log is read by %j", async (offered, protocol, expected) => {
    await using kubelet = await startKubelet({ log: (_, response) => response.end("one\n") });
    const stream = await upgrade(
      podConnects(kubelet.options).log,
      podTarget({ port: kubelet.port }),
      offered,
    );
    expect(stream.protocol).toBe(protocol);
    const messages = await Array.fromAsync(stream.messages, (message) => Buffer.from(message).toString());
    expect(messages.join("")).toBe(expected);
  });

  test("a log that is followed ends with its reader", async () => {
    const closed = Promise.withResolvers<void>();
    await using kubelet = await startKubelet({
      log: (_, response) => {
        response.write("first\n");
        response.once("close", closed.resolve);
      },
    });
    const target = podTarget({ port: kubelet.port, query: "follow=true" });
    const stream = await upgrade(podConnects(kubelet.options).log, target, ["binary.k8s.io"]);
    for await (const message of stream.messages) {
      expect(Buffer.from(message).toString()).toBe("first\n");
      break;
    }
    await stream.close();
    await closed.promise;
  });
});

describe("exec", () => {
  test("carries messages both ways, and closes when the node does", async () => {
    await using kubelet = await startKubelet({
      stream: (socket) => {
        socket.on("message", (message: Buffer) => {
          socket.send(Buffer.concat([Buffer.from([1]), message.subarray(1)]));
          socket.close(1000);
        });
      },
    });
    const query = "command=sh&command=-c&command=echo%20%26&stdin=true&stdout=true&tty=false&container=main";
    const stream = await upgrade(
      podConnects(kubelet.options).exec,
      podTarget({ port: kubelet.port, query }),
      [v5],
    );
    expect(stream.protocol).toBe(v5);
    await stream.send(Uint8Array.from([0, 104, 105]));
    const messages = await Array.fromAsync(stream.messages, (message) => [...message]);
    expect(messages).toEqual([[1, 104, 105]]);
    expect(kubelet.asked).toEqual([
      "GET /exec/default/web/main?input=1&output=1&command=sh&command=-c&command=echo+%26 as kube-apiserver",
    ]);
  });

  test("with a node that only knows v4 works for a client that only knows v5", async () => {
    const received: number[][] = [];
    await using kubelet = await startKubelet({
      protocols: [v4],
      stream: (socket) => {
        socket.on("message", (message: Buffer) => {
          received.push([...message]);
          socket.close(1000);
        });
      },
    });
    const target = podTarget({ port: kubelet.port, query: "command=cat&stdin=true" });
    const stream = await upgrade(podConnects(kubelet.options).exec, target, [v5]);
    expect(stream.protocol).toBe(v5);
    await stream.send(Uint8Array.from([255, 0]));
    await stream.send(Uint8Array.from([0, 1]));
    await Array.fromAsync(stream.messages);
    expect(received).toEqual([[0, 1]]);
  });

  test("that the node refuses opens, and tells why where clients look for it", async () => {
    await using kubelet = await startKubelet({ refusal: { status: 404, text: 'container not found ("c")' } });
    const stream = await upgrade(podConnects(kubelet.options).exec, podTarget({ port: kubelet.port }), [v5]);
    const [message = new Uint8Array()] = await Array.fromAsync(stream.messages);
    expect(message[0]).toBe(3);
    expect(JSON.parse(Buffer.from(message.subarray(1)).toString())).toMatchObject({
      kind: "Status",
      status: "Failure",
      code: 500,
      message: 'Internal error occurred: unable to upgrade connection: container not found ("c")',
    });
  });

  test("to a node that is not there tells so", async () => {
    await using kubelet = await startKubelet({});
    const target = podTarget({ port: 1 });
    const stream = await upgrade(podConnects(kubelet.options).exec, target, [v5]);
    const [message = new Uint8Array()] = await Array.fromAsync(stream.messages);
    expect(Buffer.from(message.subarray(1)).toString()).toContain(
      "error dialing backend: dial tcp 127.0.0.1:1",
    );
  });

  test("whose connection breaks throws to its reader", async () => {
    await using kubelet = await startKubelet({
      stream: (socket) => {
        socket.terminate();
      },
    });
    const stream = await upgrade(podConnects(kubelet.options).exec, podTarget({ port: kubelet.port }), [v5]);
    await expect(Array.fromAsync(stream.messages)).rejects.toThrow(/lost|reset|closed/i);
  });

  test("ends with its request", async () => {
    const closed = Promise.withResolvers<void>();
    await using kubelet = await startKubelet({
      stream: (socket) => {
        socket.once("close", () => {
          closed.resolve();
        });
      },
    });
    const abort = new AbortController();
    const target = podTarget({ port: kubelet.port });
    const { signal } = abort;
    const stream = await upgrade(podConnects(kubelet.options).exec, target, [v5], { signal });
    abort.abort();
    await closed.promise;
    await expect(Array.fromAsync(stream.messages)).rejects.toThrow(/lost/);
  });

  test("can be closed by us", async () => {
    const closed = Promise.withResolvers<number>();
    await using kubelet = await startKubelet({
      stream: (socket) => {
        socket.once("close", closed.resolve);
      },
    });
    const stream = await upgrade(podConnects(kubelet.options).exec, podTarget({ port: kubelet.port }), [v4]);
    expect(stream.protocol).toBe(v4);
    await stream.close();
    expect(await closed.promise).toBe(1000);
  });
});

test("port-forward names its ports in the kubelet's words", async () => {
  await using kubelet = await startKubelet({
    stream: (socket) => {
      socket.close(1000);
    },
  });
  const target = podTarget({ port: kubelet.port, query: "ports=6379&ports=80" });
  const stream = await upgrade(podConnects(kubelet.options).portforward, target, [v5, v4]);
  expect(stream.protocol).toBe(v4);
  await Array.fromAsync(stream.messages);
  expect(kubelet.asked).toEqual(["GET /portForward/default/web?port=6379%2C80 as kube-apiserver"]);
});
