import { seededRandom, VirtualClock } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import { expect, it, onTestFinished } from "vitest";
import { defineController } from "../controller/define-controller.ts";
import { watches } from "../controller/watches.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { managedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { createInformers } from "./create-informers.ts";
import { metadataOf } from "./only-metadata.ts";

const key = { namespace: "a", name: "one" };
const password = Buffer.from("hunter2").toString("base64");
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const secret = {
  metadata: { ...key, annotations: { [lastApplied]: `{"data":"${password}"}`, team: "blue" } },
  data: { password },
};

async function informerOf(initialEvents: MemoryApi["initialEvents"] = "serve") {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  api.initialEvents = initialEvents;
  const client = api.client();
  await client.of(Secret).create(secret);
  const informers = createInformers({ client, clock, random: seededRandom(1) });
  const informer = informers.of(metadataOf(Secret));
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  void informers.run(stop.signal);
  await clock.runUntil(informer.synced());
  return { clock, api, client, informers, informer };
}

it.each(["serve", "refuse"] as const)(
  "keeps metadata and nothing of what it was not asked for, where the server would %s initial events",
  async (initialEvents) => {
    const { clock, client, informers, informer } = await informerOf(initialEvents);
    expect(informer.get(key)?.metadata).toMatchObject({ ...key, annotations: { team: "blue" } });
    await client
      .of(Secret)
      .patch(key, { merge: { metadata: { labels: { a: "b" } }, data: { more: password } } });
    await clock.settle();
    expect(informer.get(key)?.metadata.labels).toEqual({ a: "b" });
    await informers
      .seeWritesOf(client)
      .of(Secret)
      .patch(key, { merge: { data: { most: password } } });
    expect(JSON.stringify(informer.list())).not.toContain(password);
  },
);

it("shows our own writes at once, also those that take an object away", async () => {
  const { api, client, informers, informer } = await informerOf();
  const ours = informers.seeWritesOf(client).of(Secret);
  api.hold();
  const { metadata } = await ours.patch(key, { merge: { data: { more: password } } });
  expect(informer.get(key)?.metadata.resourceVersion).toBe(metadata.resourceVersion);
  await ours.delete(key);
  expect(informer.get(key)).toBeUndefined();
});

it("is read beside the whole objects of another selection, and starts runs", async () => {
  const world = managedWorld();
  const { api, clock } = world;
  const client = api.client();
  await client.of(Secret).create(secret);
  await client.of(Secret).create({ ...secret, metadata: { ...key, name: "two", labels: { ours: "yes" } } });
  const seen: unknown[] = [];
  await world.start(
    defineController({
      name: "widgets",
      for: Widget,
      watches: [
        watches(Secret, () => [key], { labelSelector: "ours" }),
        watches(metadataOf(Secret), ({ metadata }) => [metadata]),
      ],
      reconcile(run) {
        const names = run
          .read(metadataOf(Secret))
          .list()
          .map(({ metadata }) => metadata.name);
        seen.push([run.key.name, names, run.read(Secret).list().length]);
        return Promise.resolve(undefined);
      },
    }),
  );
  seen.length = 0;
  await client.of(Secret).patch(key, { merge: { data: { more: password } } });
  await clock.settle();
  expect(seen).toEqual([["one", ["one", "two"], 1]]);
});
