import { invalid, fieldDuplicate } from "@kedge/machinery";
import { expect, it } from "vitest";
import { replaceDuplicates } from "./replace-duplicates.ts";

const kind = { group: "", kind: "Service" };
const redis = { name: "redis", port: 6379, protocol: "TCP" };
const live = (ports: readonly object[]) => ({ metadata: { resourceVersion: "7" }, spec: { ports } }) as never;
const refused = (field: string) => invalid(kind, "x", [fieldDuplicate(field, "redis")]);
const version = { op: "replace", path: "/metadata/resourceVersion", value: "7" };

it("puts a port back that somebody has changed, with what the server has given it", () => {
  const drifted = live([{ ...redis, port: 6380, nodePort: 30_001 }]);
  expect(replaceDuplicates({ spec: { ports: [redis] } }, drifted, refused("spec.ports[1].name"))).toEqual([
    version,
    { op: "replace", path: "/spec/ports", value: [{ ...redis, nodePort: 30_001 }] },
  ]);
});

it("finds lists inside of lists", () => {
  const pods = (port: number) => ({ spec: { containers: [{ name: "c", ports: [{ name: "p", port }] }] } });
  const found = replaceDuplicates(
    pods(1),
    { metadata: { resourceVersion: "7" }, ...pods(2) } as never,
    refused("spec.containers[0].ports[1].name"),
  );
  expect(found?.[1]).toMatchObject({ path: "/spec/containers/0/ports", value: [{ name: "p", port: 1 }] });
});

it.each<[string, unknown]>([
  ["another refusal", invalid(kind, "x", [])],
  ["a place that we do not want", refused("spec.others[1].name")],
  ["no answer of a server", new Error("Duplicate value")],
])("does nothing about %s", (_title, error) => {
  expect(replaceDuplicates({ spec: { ports: [redis] } }, live([redis]), error)).toBeUndefined();
});
