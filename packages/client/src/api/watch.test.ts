import { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { chunksOf } from "../testing/bodies.ts";
import { recordingClient } from "../testing/recording-server.ts";
import type { ClientOptions } from "../client.ts";

const stream = (...lines: readonly unknown[]) => ({
  status: 200,
  headers: {},
  body: chunksOf(...lines.map((line) => (typeof line === "string" ? line : `${JSON.stringify(line)}\n`))),
});

const collect = <T>(events: AsyncIterable<T>): Promise<T[]> => Array.fromAsync(events);

const pod = (name: string, extra: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...extra },
});

function watcher(lines: readonly unknown[], options?: ClientOptions) {
  const { client, requests } = recordingClient(() => stream(...lines), options);
  return { pods: client.of(Pod), requests };
}

describe("watch", () => {
  it("says when the server has agreed to it, before the first event", async () => {
    const { pods } = watcher([{ type: "ADDED", object: pod("a") }]);
    const seen: string[] = [];
    for await (const { type } of pods.watch({ onOpen: () => seen.push("open") })) seen.push(type);
    expect(seen).toEqual(["open", "ADDED"]);
  });

  it("asks for bookmarks unless told not to", async () => {
    const { pods, requests } = watcher([]);
    await collect(pods.watch({ namespace: "shop", resourceVersion: "5", timeoutSeconds: 300 }));
    await collect(pods.watch({ bookmarks: false }));
    expect(requests.map(({ path, query }) => [path, query])).toEqual([
      [
        "/api/v1/namespaces/shop/pods",
        { watch: "true", resourceVersion: "5", allowWatchBookmarks: "true", timeoutSeconds: "300" },
      ],
      ["/api/v1/pods", { watch: "true" }],
    ]);
  });

  it("asks for initial events the way that servers demand", async () => {
    const { pods, requests } = watcher([]);
    await collect(pods.watch({ sendInitialEvents: true, bookmarks: false }));
    expect(requests[0]?.query).toEqual({
      watch: "true",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: "true",
    });
  });

  it("gives events and bookmarks, and ends with the stream", async () => {
    const end = { annotations: { "k8s.io/initial-events-end": "true" }, resourceVersion: "8" };
    const { pods } = watcher([
      { type: "ADDED", object: pod("a") },
      { type: "BOOKMARK", object: { kind: "Pod", metadata: end } },
      { type: "DELETED", object: pod("a") },
      { type: "BOOKMARK", object: { kind: "Pod", metadata: { resourceVersion: "9" } } },
    ]);
    expect(await collect(pods.watch())).toEqual([
      { type: "ADDED", object: pod("a") },
      { type: "BOOKMARK", resourceVersion: "8", initialEventsEnd: true },
      { type: "DELETED", object: pod("a") },
      { type: "BOOKMARK", resourceVersion: "9", initialEventsEnd: false },
    ]);
  });

  it("leaves managedFields out when told to", async () => {
    const { pods } = watcher([{ type: "ADDED", object: pod("a", { managedFields: [{ manager: "m" }] }) }], {
      dropManagedFields: true,
    });
    expect(await collect(pods.watch())).toEqual([{ type: "ADDED", object: pod("a") }]);
  });

  it.each([
    ["a line that is not JSON", "<html>\n", "not JSON"],
    ["a type that is none", { type: "CHANGED", object: {} }, `"CHANGED"`],
    ["an error without a status", { type: "ERROR", object: {} }, `"ERROR"`],
  ])("refuses %s", async (_what, line, text) => {
    const { pods } = watcher([line]);
    await expect(collect(pods.watch())).rejects.toMatchObject({
      code: "PROTOCOL",
      message: expect.stringContaining(text) as string,
    });
  });

  it("closes the stream when the reader leaves", async () => {
    let closed = false;
    const { client } = recordingClient(() => ({
      status: 200,
      headers: {},
      body: (async function* () {
        try {
          for (;;) yield Buffer.from(`${JSON.stringify({ type: "ADDED", object: pod("a") })}\n`);
        } finally {
          closed = true;
        }
      })(),
    }));
    for await (const _event of client.of(Pod).watch()) break;
    expect(closed).toBe(true);
  });
});
