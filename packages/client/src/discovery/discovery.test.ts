import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { jsonAnswer } from "../testing/bodies.ts";
import { recordingClient, type Recorded } from "../testing/recording-server.ts";

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const pods = {
  resource: "pods",
  responseKind: { group: "", version: "v1", kind: "Pod" },
  scope: "Namespaced",
  singularResource: "pod",
  verbs: ["get", "list", "watch"],
  shortNames: ["po"],
  subresources: [{ subresource: "status" }, { subresource: "log" }],
};
const resource = (name: string, kind: string, extra: object = {}): object => ({
  resource: name,
  responseKind: { kind },
  scope: "Namespaced",
  singularResource: kind.toLowerCase(),
  verbs: ["get"],
  ...extra,
});
const group = (name: string, ...versions: readonly object[]): object => ({
  metadata: name === "" ? {} : { name },
  versions,
});

const core = {
  kind: "APIGroupDiscoveryList",
  items: [group("", { version: "v1", resources: [pods], freshness: "Current" })],
};
const named = {
  kind: "APIGroupDiscoveryList",
  items: [
    group("apps", {
      version: "v1",
      resources: [resource("deployments", "Deployment", { shortNames: ["deploy"] })],
    }),
    group(
      "example.com",
      { version: "v1", resources: [resource("widgets", "Widget"), resource("homes", "")] },
      { version: "v1beta1", resources: [resource("widgets", "Widget"), resource("gadgets", "Gadget")] },
    ),
    group("metrics.example.com", { version: "v1", resources: [], freshness: "Stale" }),
  ],
};

/** A server that answers discovery in the aggregated form, with entity tags. */
function aggregated(lists: { core: object; named: object }) {
  return ({ path, headers }: Recorded): unknown => {
    const list = path === "/api" ? lists.core : lists.named;
    const etag = `"${JSON.stringify(list).length}"`;
    if (headers["if-none-match"] === etag)
      return { status: 304, headers: { etag }, body: (async function* () {})() };
    return jsonAnswer(list, { headers: { "content-type": aggregatedType, etag } });
  };
}

describe("discovery", () => {
  it("asks both roots once, and remembers", async () => {
    const { client, requests } = recordingClient(aggregated({ core, named }));
    await Promise.all([client.discovery.served(), client.discovery.kindNamed("po")]);
    await client.discovery.kindNamed("deploy");
    expect(requests.map(({ path }) => path)).toEqual(["/api", "/apis"]);
    expect(requests[0]?.headers["accept"]).toContain(aggregatedType);
  });

  it("asks again after ten minutes, and takes 304 for no change", async () => {
    const clock = new VirtualClock();
    const { client, requests } = recordingClient(aggregated({ core, named }), { clock });
    const before = await client.discovery.served();
    await clock.advance(600_000);
    expect(await client.discovery.served()).toEqual(before);
    expect(requests).toHaveLength(4);
    expect(requests[2]?.headers["if-none-match"]).toBeDefined();
  });

  it.each([
    ["pods", "v1 Pod"],
    ["po", "v1 Pod"],
    ["Pod", "v1 Pod"],
    ["pods.v1", "v1 Pod"],
    ["deploy", "apps/v1 Deployment"],
    ["deployments.apps", "apps/v1 Deployment"],
    ["deployments.v1.apps", "apps/v1 Deployment"],
    ["widgets", "example.com/v1 Widget"],
    ["widgets.v1beta1.example.com", "example.com/v1beta1 Widget"],
    ["gadget.example.com", "example.com/v1beta1 Gadget"],
  ])("knows which kind %s means", async (name, expected) => {
    const { client } = recordingClient(aggregated({ core, named }));
    const kind = await client.discovery.kindNamed(name);
    expect(`${kind.group === "" ? "" : `${kind.group}/`}${kind.version} ${kind.kind}`).toBe(expected);
  });

  it("gives descriptors that the client takes", async () => {
    const { client, requests } = recordingClient((request) =>
      request.path.startsWith("/api/v1/") ? { kind: "Pod" } : aggregated({ core, named })(request),
    );
    const pod = await client.discovery.kind({ group: "", kind: "Pod" });
    expect(pod).toMatchObject({
      plural: "pods",
      scope: "Namespaced",
      subresources: ["status", "log"],
      verbs: ["get", "list", "watch"],
    });
    await client.of(pod).get({ namespace: "a", name: "b" });
    expect(requests.at(-1)?.path).toBe("/api/v1/namespaces/a/pods/b");
  });

  it("asks anew for a kind that it misses, but not all the time", async () => {
    const clock = new VirtualClock();
    const lists = { core, named: { items: [] as object[] } };
    const { client, requests } = recordingClient((request) => aggregated(lists)(request), { clock });
    const widget = { group: "example.com", kind: "Widget" };
    await expect(client.discovery.kind(widget)).rejects.toMatchObject({ code: "USAGE" });
    await expect(client.discovery.kind(widget)).rejects.toThrow(
      "the server serves no kind Widget in example.com",
    );
    expect(requests).toHaveLength(2);
    lists.named = named;
    await clock.advance(5_000);
    expect(await client.discovery.kind(widget)).toMatchObject({ plural: "widgets", version: "v1" });
    expect(requests).toHaveLength(4);
  });

  it.each([
    ["wigets", "did you mean widgets.v1.example.com, widgets.v1beta1.example.com?"],
    ["pod.apps", "did you mean pods?"],
    ["unheard", "metrics.example.com/v1"],
  ])("says for %s what may have been meant", async (name, hint) => {
    const { client } = recordingClient(aggregated({ core, named }));
    await expect(client.discovery.kindNamed(name)).rejects.toMatchObject({
      hint: expect.stringContaining(hint) as string,
    });
  });

  it("does not remember a failure", async () => {
    let broken = true;
    const { client } = recordingClient((request) =>
      broken ? jsonAnswer({}, { status: 500 }) : aggregated({ core, named })(request),
    );
    await expect(client.discovery.served()).rejects.toMatchObject({ name: "StatusError", code: 500 });
    broken = false;
    expect(await client.discovery.served()).toHaveLength(5);
  });

  it("walks group by group where the server knows only the legacy form, and survives a group that is down", async () => {
    const legacy: Record<string, unknown> = {
      "/api": { kind: "APIVersions", versions: ["v1"] },
      "/apis": {
        kind: "APIGroupList",
        groups: [
          {
            name: "example.com",
            versions: [{ version: "v1beta1" }, { version: "v1" }],
            preferredVersion: { version: "v1" },
          },
          { name: "down.example.com", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } },
        ],
      },
      "/api/v1": {
        resources: [
          {
            name: "pods",
            singularName: "pod",
            namespaced: true,
            kind: "Pod",
            verbs: ["get"],
            shortNames: ["po"],
          },
          { name: "pods/log", namespaced: true, kind: "Pod", verbs: ["get"] },
          { name: "nodes", namespaced: false, kind: "Node", verbs: ["get"] },
        ],
      },
      "/apis/example.com/v1": { resources: [{ name: "widgets", namespaced: true, kind: "Widget" }] },
      "/apis/example.com/v1beta1": { resources: [{ name: "widgets", namespaced: true, kind: "Widget" }] },
    };
    const { client } = recordingClient(({ path }) => legacy[path] ?? jsonAnswer({}, { status: 503 }));
    const api = await client.discovery.served();
    expect(api.map(({ group: name, version, current }) => [name, version, current])).toEqual([
      ["", "v1", true],
      ["example.com", "v1", true],
      ["example.com", "v1beta1", true],
      ["down.example.com", "v1", false],
    ]);
    expect(await client.discovery.kindNamed("po")).toMatchObject({
      kind: "Pod",
      subresources: ["log"],
      scope: "Namespaced",
    });
    expect(await client.discovery.kindNamed("node")).toMatchObject({ scope: "Cluster" });
  });
});
