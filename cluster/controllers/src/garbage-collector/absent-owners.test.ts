import { uid, type OwnerReference } from "@kedge/machinery";
import { expect, it } from "vitest";
import { AbsentOwners } from "./absent-owners.ts";

const owner = (name: string): OwnerReference => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name,
  uid: uid("u"),
});

it("an owner is absent only for who asked for it: by its name and from its namespace", () => {
  const absent = new AbsentOwners();
  absent.add(owner("web"), "other");
  expect(absent.has(owner("web"), "other")).toBe(true);
  expect(absent.has(owner("web"), "default")).toBe(false);
  expect(absent.has(owner("app"), "other")).toBe(false);
});

it("no more than some are remembered, and the oldest is forgotten first", () => {
  const absent = new AbsentOwners();
  for (let index = 0; index <= 500; index++) absent.add(owner(`web-${index}`), "default");
  expect(absent.has(owner("web-0"), "default")).toBe(false);
  expect(absent.has(owner("web-500"), "default")).toBe(true);
});
