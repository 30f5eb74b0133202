import { resourceVersion, uid, type Kind, type NamespacedMeta, type Scope } from "@kedge/machinery";
import { ControllerRevision, Deployment } from "@kedge/machinery/kinds/apps/v1";
import { SelfSubjectAccessReview } from "@kedge/machinery/kinds/authorization/v1";
import { ConfigMap, Namespace, Node, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, expectTypeOf, it } from "vitest";
import { jsonAnswer } from "../testing/bodies.ts";
import { recordingClient } from "../testing/recording-server.ts";
import type { Warning } from "./warnings.ts";

interface Widget {
  apiVersion: string;
  kind: string;
  metadata: NamespacedMeta;
  spec: { size: number };
}
const Widget: Kind<Widget, "Namespaced", "status"> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
  subresources: ["status"],
};

const key = { namespace: "shop", name: "cart" };
const path = "/api/v1/namespaces/shop/configmaps/cart";

describe("the verbs of a kind", () => {
  it("get", async () => {
    const { client, requests } = recordingClient();
    await client.of(ConfigMap).get(key, { resourceVersion: "0" });
    await client.of(Node).get({ name: "n1" });
    await client.of(Widget).get(key);
    expect(requests).toMatchObject([
      { method: "GET", path, query: { resourceVersion: "0" }, headers: { accept: "application/json" } },
      { method: "GET", path: "/api/v1/nodes/n1", query: {} },
      { method: "GET", path: "/apis/example.com/v1/namespaces/shop/widgets/cart" },
    ]);
  });

  it("create fills in apiVersion and kind, and sends the write options", async () => {
    const { client, requests } = recordingClient();
    await client
      .of(Widget)
      .create(
        { metadata: key, spec: { size: 1 } },
        { dryRun: true, fieldManager: "me", fieldValidation: "Strict" },
      );
    expect(requests).toMatchObject([
      {
        method: "POST",
        path: "/apis/example.com/v1/namespaces/shop/widgets",
        query: { dryRun: "All", fieldManager: "me", fieldValidation: "Strict" },
        headers: { "content-type": "application/json" },
        body: { apiVersion: "example.com/v1", kind: "Widget", metadata: key, spec: { size: 1 } },
      },
    ]);
  });

  it("create of a kind that is never stored needs no metadata", async () => {
    const { client, requests } = recordingClient();
    await client
      .of(SelfSubjectAccessReview)
      .create({ spec: { resourceAttributes: { verb: "get", resource: "pods" } } });
    expect(requests[0]?.path).toBe("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  });

  it("replace keeps fields that no type knows", async () => {
    const live = {
      ...key,
      uid: uid("u"),
      resourceVersion: resourceVersion("7"),
      creationTimestamp: "2026-11-15T00:00:00Z",
    };
    const { client, requests } = recordingClient(() => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: live,
      future: { a: 1 },
    }));
    const map = await client.of(ConfigMap).get(key);
    map.data = { a: "b" };
    await client.of(ConfigMap).replace(map);
    expect(requests[1]).toMatchObject({
      method: "PUT",
      path,
      body: { future: { a: 1 }, data: { a: "b" }, metadata: live },
    });
  });

  it("replace refuses an object with an integer that may have been rounded; a patch does not send it", async () => {
    const { client, requests } = recordingClient();
    const revision = { metadata: key, revision: 2 ** 53 };
    expect(() => client.of(ControllerRevision).replace(revision)).toThrow(
      "ControllerRevision: revision: an integer above 2^53 may have lost digits",
    );
    await client.of(ControllerRevision).patch(key, { merge: { metadata: { labels: { a: "b" } } } });
    expect(requests).toMatchObject([{ method: "PATCH", body: { metadata: { labels: { a: "b" } } } }]);
  });

  it.each([
    ["application/merge-patch+json", { merge: { data: { a: null } } }, { data: { a: null } }],
    [
      "application/json-patch+json",
      { json: [{ op: "remove", path: "/data/a" }] },
      [{ op: "remove", path: "/data/a" }],
    ],
    ["application/strategic-merge-patch+json", { strategic: { data: {} } }, { data: {} }],
  ] as const)("patch: %s", async (contentType, patch, body) => {
    const { client, requests } = recordingClient();
    await client.of(ConfigMap).patch(key, patch, { fieldManager: "me" });
    expect(requests).toMatchObject([
      {
        method: "PATCH",
        path,
        query: { fieldManager: "me" },
        headers: { "content-type": contentType },
        body,
      },
    ]);
  });

  it("apply", async () => {
    const { client, requests } = recordingClient();
    const deployment = { metadata: key, spec: { replicas: 3 } };
    await client.of(Deployment).apply(deployment, { fieldManager: "me", force: true });
    expect(requests).toMatchObject([
      {
        method: "PATCH",
        path: "/apis/apps/v1/namespaces/shop/deployments/cart",
        query: { fieldManager: "me", force: "true" },
        headers: { "content-type": "application/apply-patch+yaml" },
        body: { apiVersion: "apps/v1", kind: "Deployment", ...deployment },
      },
    ]);
  });

  it("delete sends its options, and gives the object only while it is still there", async () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...key, deletionTimestamp: "2026-11-15T00:00:00Z" },
    };
    const answers = [{ apiVersion: "v1", kind: "Status", metadata: {}, status: "Success" }, pod];
    const { client, requests } = recordingClient(() => answers.shift());
    const options = {
      propagation: "Foreground",
      gracePeriodSeconds: 5,
      preconditions: { uid: uid("u"), resourceVersion: resourceVersion("7") },
      dryRun: true,
    } as const;
    expect(await client.of(Pod).delete(key, options)).toBeUndefined();
    expect(await client.of(Pod).delete(key)).toEqual(pod);
    expect(requests[0]).toMatchObject({
      method: "DELETE",
      path: "/api/v1/namespaces/shop/pods/cart",
      body: {
        kind: "DeleteOptions",
        propagationPolicy: "Foreground",
        gracePeriodSeconds: 5,
        preconditions: { uid: "u", resourceVersion: "7" },
        dryRun: ["All"],
      },
    });
  });

  it("deleteCollection", async () => {
    const { client, requests } = recordingClient(() => ({
      apiVersion: "v1",
      kind: "PodList",
      metadata: {},
      items: [],
    }));
    await client.of(Pod).deleteCollection({
      namespace: "shop",
      labelSelector: { app: "cart" },
      fieldSelector: "status.phase=Failed",
    });
    expect(requests).toMatchObject([
      {
        method: "DELETE",
        path: "/api/v1/namespaces/shop/pods",
        query: { labelSelector: "app=cart", fieldSelector: "status.phase=Failed" },
      },
    ]);
  });

  it("reads only metadata when asked to", async () => {
    const { client, requests } = recordingClient(() => ({ kind: "PartialObjectMetadata", metadata: key }));
    const meta = await client.metadataOf(Pod).get(key);
    expectTypeOf(meta.metadata.name).toBeString();
    expect(meta.metadata.name).toBe("cart");
    expect(requests[0]?.headers["accept"]).toBe(
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    );
  });

  it("surfaces the server's warnings", async () => {
    const warnings: Warning[] = [];
    const headers = { warning: ['299 - "unknown field \\"spec.bogus\\""', '299 k8s "a, b", 299 - "c"'] };
    const { client } = recordingClient(() => jsonAnswer({}, { headers }), {
      onWarning: (warning) => warnings.push(warning),
    });
    await client.of(Widget).create({ metadata: key, spec: { size: 1 } });
    expect(warnings.map(({ text }) => text)).toEqual(['unknown field "spec.bogus"', "a, b", "c"]);
    expect(warnings[0]?.call).toBe("POST /apis/example.com/v1/namespaces/shop/widgets");
    const own: string[] = [];
    await client
      .of(Widget)
      .create({ metadata: key, spec: { size: 1 } }, { onWarning: ({ text }) => own.push(text) });
    expect(own).toHaveLength(3);
    expect(warnings).toHaveLength(3);
  });

  it("leaves managedFields out when told to", async () => {
    const object = { metadata: { name: "cart", managedFields: [{ manager: "x" }] } };
    const { client } = recordingClient(() => object, { dropManagedFields: true });
    expect(await client.of(ConfigMap).get(key)).toEqual({ metadata: { name: "cart" } });
  });
});

describe("subresources", () => {
  it("status: get, replace, patch, apply", async () => {
    const { client, requests } = recordingClient();
    const { status } = client.of(Widget);
    await status.get(key);
    await status.replace({ metadata: key, spec: { size: 1 } });
    await status.patch(key, { merge: { status: { ready: true } } });
    await status.apply({ metadata: key }, { fieldManager: "me" });
    expect(requests.map(({ method, path: at }) => `${method} ${at}`)).toEqual(
      ["GET", "PUT", "PATCH", "PATCH"].map(
        (method) => `${method} /apis/example.com/v1/namespaces/shop/widgets/cart/status`,
      ),
    );
  });

  it("scale is an object of autoscaling/v1, whatever the kind", async () => {
    const { client, requests } = recordingClient();
    const scale = await client.of(Deployment).scale.replace({ metadata: key, spec: { replicas: 2 } });
    expectTypeOf(scale.spec.replicas).toEqualTypeOf<number | undefined>();
    expect(requests).toMatchObject([
      {
        method: "PUT",
        path: "/apis/apps/v1/namespaces/shop/deployments/cart/scale",
        body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: key, spec: { replicas: 2 } },
      },
    ]);
  });

  it("eviction, binding and token are created", async () => {
    const { client, requests } = recordingClient();
    await client.of(Pod).eviction.create(key, { gracePeriodSeconds: 0, dryRun: true });
    await client.of(Pod).binding.create(key, "node-1");
    await client.of(ServiceAccount).token.create(key, { audiences: ["api"], expirationSeconds: 600 });
    expect(requests).toMatchObject([
      {
        method: "POST",
        path: "/api/v1/namespaces/shop/pods/cart/eviction",
        query: { dryRun: "All" },
        body: {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: key,
          deleteOptions: { gracePeriodSeconds: 0 },
        },
      },
      {
        path: "/api/v1/namespaces/shop/pods/cart/binding",
        body: { kind: "Binding", target: { kind: "Node", name: "node-1" } },
      },
      {
        path: "/api/v1/namespaces/shop/serviceaccounts/cart/token",
        body: { kind: "TokenRequest", spec: { audiences: ["api"], expirationSeconds: 600 } },
      },
    ]);
  });

  it("log: lines and text", async () => {
    const { client, requests } = recordingClient(() => ({
      status: 200,
      headers: { "content-type": "text/plain" },
      body: (async function* () {
        yield Buffer.from("one\ntw");
        yield Buffer.from("o\n");
      })(),
    }));
    const lines: string[] = [];
    for await (const line of client.of(Pod).log.lines(key, { container: "c", tailLines: 2, follow: true }))
      lines.push(line);
    expect(lines).toEqual(["one", "two"]);
    expect(await client.of(Pod).log.text(key)).toBe("one\ntwo\n");
    expect(requests[0]).toMatchObject({
      path: "/api/v1/namespaces/shop/pods/cart/log",
      query: { container: "c", tailLines: "2", follow: "true" },
    });
  });

  it("a subresource that the kind does not have is neither typed nor sent", () => {
    const { client, requests } = recordingClient();
    const maps = client.of(ConfigMap);
    expectTypeOf(maps).not.toHaveProperty("status");
    expectTypeOf(client.of(Pod)).toHaveProperty("exec");
    expect(() => (maps as unknown as { status: unknown }).status).toThrow(
      "ConfigMap has no subresource status: it has none",
    );
    expect(requests).toEqual([]);
  });
});

describe("calls that make no sense are refused before they are sent", () => {
  const { client, requests } = recordingClient();
  const untyped = client.of<unknown, Scope, string>(ConfigMap);
  it.each<[string, () => unknown, string]>([
    ["an empty name", () => client.of(Node).get({ name: "" }), `name "": must not be empty`],
    [
      "a name that leads elsewhere",
      () => client.of(ConfigMap).get({ namespace: "..", name: "x" }),
      `namespace "..": must not be`,
    ],
    [
      "a slash in a name",
      () => client.of(ConfigMap).get({ namespace: "a", name: "b/c" }),
      `name "b/c": must not`,
    ],
    ["no namespace", () => untyped.get({ namespace: "", name: "x" }), `ConfigMap "x": namespace must be set`],
    [
      "no namespace to create in",
      () => client.of(ConfigMap).create({ metadata: { name: "x" } }),
      "ConfigMap: metadata.namespace must be set",
    ],
    [
      "a namespace for a cluster-scoped kind",
      () => client.of(Namespace).list({ namespace: "x" }).all(),
      "Namespace is cluster-scoped",
    ],
  ])("%s", async (_what, call, message) => {
    await expect(async () => await call()).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining(message) as string,
    });
    expect(requests).toEqual([]);
  });
});
