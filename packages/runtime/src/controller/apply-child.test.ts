import { OwnershipError, seededRandom } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { createManager } from "../manager/create-manager.ts";
import { managedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { defineController } from "./define-controller.ts";
import { ensureFinalizer, removeFinalizer } from "./finalizers.ts";
import type { ReconcileContext } from "./types.ts";
import { writeStatus } from "./write-status.ts";

const key = { namespace: "a", name: "one" };

/** Runs something once for a widget, and as often as `again` is called. */
async function world(reconcile: (run: ReconcileContext<Widget> & { object: Widget }) => Promise<unknown>) {
  const made = managedWorld();
  const client = made.api.client({ userAgent: "somebody/1" });
  const failures: unknown[] = [];
  let runs = 0;
  const controller = defineController({
    name: "widgets",
    for: Widget,
    owns: [ConfigMap, Deployment],
    async reconcile(run) {
      runs++;
      if (run.object === undefined) return undefined;
      await reconcile(run as never).catch((error: unknown) => failures.push(error));
      return undefined;
    },
  });
  await client.of(Widget).create({ metadata: key, spec: { parts: 1 } });
  await made.start(controller);
  await made.clock.advance(100);
  const again = async (): Promise<readonly string[]> => {
    const before = made.api.writes.length;
    const ran = runs;
    const merge = { metadata: { annotations: { again: String(runs) } } };
    await client.of(Widget).patch(key, { merge });
    await made.clock.advance(100);
    expect(runs).toBeGreaterThan(ran);
    return made.api.writes.slice(before + 1);
  };
  return { ...made, client, failures, again };
}

const child = { metadata: { namespace: "a", name: "child", labels: { app: "x" } }, data: { size: "1" } };

describe("apply", () => {
  it("says at once that a namespace is missing", async () => {
    const { failures, api } = await world(async (run) => {
      await run.apply(ConfigMap, { metadata: { name: "child" } }, { owner: run.object });
    });
    expect(failures).toEqual([
      new TypeError("apply(ConfigMap child): metadata.namespace must be set: ConfigMap is in namespaces"),
    ]);
    expect(api.store.list("/v1/configmaps")).toEqual([]);
  });

  it("creates a child with its owner, and is seen at once", async () => {
    const { api, failures } = await world(async (run) => {
      const applied = await run.apply(ConfigMap, child, { owner: run.object });
      expect(run.read(ConfigMap).get(child.metadata)).toBe(applied);
      expect(Object.isFrozen(applied.data)).toBe(true);
    });
    expect(failures).toEqual([]);
    const [stored] = api.store.list("/v1/configmaps");
    expect(stored?.metadata.ownerReferences).toMatchObject([
      { kind: "Widget", name: "one", controller: true },
    ]);
    expect(stored?.metadata.managedFields?.[0]).toMatchObject({ manager: "widgets", operation: "Apply" });
  });

  it("sends nothing when nothing would change", async () => {
    const { again, failures } = await world((run) => run.apply(ConfigMap, child, { owner: run.object }));
    expect(await again()).toEqual([]);
    expect(failures).toEqual([]);
  });

  it("sends nothing in a process that has never sent it", async () => {
    const first = await world((run) => run.apply(Deployment, deployment("nginx"), { owner: run.object }));
    const sent = first.api.writes.length;
    const controller = defineController({
      name: "widgets",
      for: Widget,
      owns: [Deployment],
      async reconcile(run) {
        await run.apply(
          Deployment,
          deployment("nginx"),
          run.object === undefined ? {} : { owner: run.object },
        );
        return undefined;
      },
    });
    const { clock } = first;
    const manager = createManager({
      client: first.api.client(),
      clock,
      random: seededRandom(2),
      name: "second",
    });
    manager.add(controller);
    const stop = new AbortController();
    const run = manager.run(stop.signal);
    await clock.runUntil(manager.ready());
    await clock.advance(1000);
    stop.abort();
    await clock.runUntil(run);
    expect(first.api.writes.slice(sent)).toEqual([]);
  });

  it("restores what somebody else has changed, and leaves what is not its own", async () => {
    const { again, client, api } = await world((run) => run.apply(ConfigMap, child, { owner: run.object }));
    await client.of(ConfigMap).patch(child.metadata, { merge: { data: { size: "9", other: "theirs" } } });
    await again();
    const [stored] = api.store.list("/v1/configmaps") as unknown as ConfigMap[];
    expect(stored?.data).toEqual({ size: "1", other: "theirs" });
    expect(await again()).toEqual([]);
  });

  it("gives up fields that are not wanted any more", async () => {
    let data: Record<string, string> = { size: "1", old: "x" };
    const { again, api } = await world((run) => run.apply(ConfigMap, { ...child, data }));
    data = { size: "1" };
    expect(await again()).toEqual(["PATCH /api/v1/namespaces/a/configmaps/child"]);
    expect(api.store.list("/v1/configmaps")).toMatchObject([{ data: { size: "1" } }]);
    expect(api.store.list("/v1/configmaps")[0]).not.toHaveProperty("data.old");
  });

  it("restores the order of a list that somebody else has turned around", async () => {
    const { again, client, api } = await world((run) =>
      run.apply(Deployment, deployment("nginx"), { owner: run.object }),
    );
    const containers = () =>
      (api.store.list("apps/v1/deployments") as unknown as Deployment[])[0]?.spec?.template.spec?.containers;
    const turned = containers()?.toReversed();
    await client
      .of(Deployment)
      .patch(
        { namespace: "a", name: "d" },
        { merge: { spec: { template: { spec: { containers: turned } } } } },
      );
    await again();
    expect(containers()?.map(({ name }) => name)).toEqual(["main", "side"]);
  });

  it("refuses a child that another controls", async () => {
    const { client, failures, again } = await world((run) =>
      run.object.metadata.annotations?.["again"] === undefined
        ? Promise.resolve()
        : run.apply(ConfigMap, child, { owner: run.object }),
    );
    const ownerReferences = [
      { apiVersion: "v1", kind: "Pod", name: "p", uid: "other" as never, controller: true },
    ];
    await client.of(ConfigMap).create({ metadata: { ...child.metadata, ownerReferences } });
    await again();
    expect(failures[0]).toBeInstanceOf(OwnershipError);
    expect(failures[0]).toMatchObject({ reason: "OtherController" });
  });
});

describe("finalizers and status", () => {
  it("puts a finalizer on, cleans up, and lets go", async () => {
    const seen: string[] = [];
    const { client, api, clock, failures } = await world(async (run) => {
      if (run.object.metadata.deletionTimestamp === undefined) {
        const held = await ensureFinalizer(run, Widget, run.object, "example.com/clean");
        seen.push(`holds ${held.metadata.finalizers?.join() ?? ""}`);
        return;
      }
      seen.push("cleaned");
      await removeFinalizer(run, Widget, run.object, "example.com/clean");
      expect(run.read(Widget).get(run.key)).toBeUndefined();
    });
    expect(api.store.list("example.com/v1/widgets")[0]?.metadata.finalizers).toEqual(["example.com/clean"]);
    await client.of(Widget).delete(key);
    await clock.advance(100);
    expect(failures).toEqual([]);
    // The finalizer itself is a change that makes it look again.
    expect(seen).toEqual(["holds example.com/clean", "holds example.com/clean", "cleaned"]);
    expect(api.store.list("example.com/v1/widgets")).toEqual([]);
  });

  it("carries uid and version, so that an object of the same name is never meant", async () => {
    const { api } = await world((run) => ensureFinalizer(run, Widget, run.object, "example.com/clean"));
    const patch = api.requests.find(({ method }) => method === "PATCH");
    const [stored] = api.store.list("example.com/v1/widgets");
    const { uid } = stored?.metadata ?? {};
    expect(JSON.parse(patch?.body ?? "")).toMatchObject({
      metadata: { uid, resourceVersion: expect.any(String) as string },
    });
  });

  it("writes the status once, keeps transition times, and removes what is gone", async () => {
    let status = "False";
    let phase: string | undefined = "Starting";
    const { again, api, failures, clock } = await world((run) =>
      writeStatus(run, Widget, run.object, {
        ...(phase !== undefined && { phase }),
        conditions: [
          {
            type: "Ready",
            status: status as "False",
            reason: "Because",
            message: "",
            lastTransitionTime: new Date(run.clock.now()).toISOString(),
          },
        ],
      }),
    );
    const current = () => (api.store.list("example.com/v1/widgets")[0] as unknown as Widget).status;
    const first = current()?.conditions?.[0]?.lastTransitionTime;
    expect(current()?.phase).toBe("Starting");
    await clock.advance(5000);
    expect(await again()).toEqual([]);
    phase = undefined;
    expect(await again()).toEqual(["PATCH /apis/example.com/v1/namespaces/a/widgets/one/status"]);
    expect(current()).not.toHaveProperty("phase");
    expect(current()?.conditions?.[0]?.lastTransitionTime).toBe(first);
    status = "True";
    await again();
    expect(current()?.conditions?.[0]?.lastTransitionTime).not.toBe(first);
    expect(failures).toEqual([]);
  });
});

function deployment(image: string) {
  const labels = { app: "x" };
  return {
    metadata: { namespace: "a", name: "d", labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "main",
              image,
              ports: [80, 81].map((containerPort) => ({ containerPort, protocol: "TCP" })),
            },
            { name: "side", image, args: ["a", "b"], env: [{ name: "A", value: "1" }] },
          ],
          volumes: [{ name: "v", emptyDir: {} }],
        },
      },
    },
  };
}
