import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { recordingClient } from "../testing/recording-server.ts";
import type { ObservedWrite } from "./types.ts";

const key = { namespace: "shop", name: "cart" };

it("tells of writes before the writer goes on, and of nothing else", async () => {
  const { client } = recordingClient(() => ({ apiVersion: "v1", kind: "ConfigMap", metadata: key }));
  const log: string[] = [];
  const note = (who: string) => () => {
    log.push(`${who}: begins`);
    return ({ verb, kind }: ObservedWrite) => void log.push(`${who}: ${verb} ${kind.kind}`);
  };
  const observed = client.observed(note("first")).observed(note("second"));
  const maps = observed.of(ConfigMap);
  await maps.create({ metadata: key }).then(() => log.push("created"));
  expect(log).toEqual([
    "first: begins",
    "second: begins",
    "first: create ConfigMap",
    "second: create ConfigMap",
    "created",
  ]);
  log.length = 0;
  await maps.get(key);
  await maps.create({ metadata: key }, { dryRun: true });
  await maps.delete(key, { dryRun: true });
  await client.of(ConfigMap).create({ metadata: key });
  expect(log).toEqual([]);
  await maps.patch(key, { merge: {} });
  await maps.replace({ metadata: key });
  await maps.apply({ metadata: key }, { fieldManager: "x" });
  await maps.delete(key);
  expect(log.filter((line) => line.startsWith("first") && line !== "first: begins")).toEqual([
    "first: patch ConfigMap",
    "first: replace ConfigMap",
    "first: apply ConfigMap",
    "first: delete ConfigMap",
  ]);
});

it("does not tell of what the server refused", async () => {
  const { client } = recordingClient(() => ({
    status: 404,
    headers: {},
    body: (async function* body() {
      yield await Promise.resolve(Buffer.from("{}"));
    })(),
  }));
  const told: ObservedWrite[] = [];
  const observed = client.observed(() => (write) => void told.push(write));
  await expect(observed.of(ConfigMap).delete(key)).rejects.toMatchObject({ code: 404 });
  expect(told).toEqual([]);
});
