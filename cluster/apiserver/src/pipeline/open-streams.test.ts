import { realClock, statusOf, type MessageStream } from "@kedge/machinery";
import { expect, test } from "vitest";
import type { ConnectSubresource } from "../registry/types.ts";
import { startServer } from "../testing/start-server.ts";
import { OpenStreams } from "./open-streams.ts";

test("a user has a number of streams, and may open another when one has closed", () => {
  const streams = new OpenStreams(2);
  const first = new AbortController();
  streams.add("jane", first.signal);
  streams.add("jane", new AbortController().signal);
  expect(failure(() => streams.add("jane", new AbortController().signal))).toMatchObject({
    code: 429,
    reason: "TooManyRequests",
  });
  streams.add("bob", new AbortController().signal);
  first.abort();
  streams.add("jane", new AbortController().signal);
});

test("the server counts the streams of pods", async () => {
  const stream: MessageStream = {
    protocol: "v5.channel.k8s.io",
    messages: (async function* none() {})(),
    send: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const exec: ConnectSubresource = {
    type: "connect",
    verbs: ["get"],
    optionsKind: "PodExecOptions",
    upgrade: () => Promise.resolve(stream),
  };
  const connects = { exec, attach: exec, portforward: exec, log: exec };
  await using server = await startServer({ clock: realClock, podConnects: connects });
  const namespace = "/api/v1/namespaces/default";
  await server.ask("POST", `${namespace}/serviceaccounts`, { metadata: { name: "default" } });
  const containers = [{ name: "c", image: "c:1" }];
  await server.ask("POST", `${namespace}/pods`, { metadata: { name: "a" }, spec: { containers } });
  const { upgrade } = server.api.doorFor({ name: "jane", groups: ["system:masters"] });
  const opened = Array.from({ length: 201 }, () => {
    const { signal } = new AbortController();
    const path = `${namespace}/pods/a/exec?command=x`;
    return upgrade({ method: "GET", path, headers: {}, protocols: [stream.protocol], signal });
  });
  const refused = (await Promise.all(opened)).flatMap((answer) =>
    "status" in answer ? [answer.status] : [],
  );
  expect(refused).toEqual([429]);
});

function failure(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return statusOf(error);
  }
  return undefined;
}
