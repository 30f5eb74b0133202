import { expect, it } from "vitest";
import { whyUnreadable } from "./data-format.ts";
import { serverOf } from "./image-server.ts";

const can = (from: string, to: string): boolean => whyUnreadable(serverOf(from), serverOf(to)) === undefined;

/** As the servers themselves have said, each with the files of each: with an append-only file, and with a snapshot. */
it.each([
  ["redis:7.0.15", ["redis:7.0.15", "redis:8.0.2", "valkey:8.1.1", "valkey:9.1.2"]],
  ["redis:8.0.2", ["redis:8.0.2"]],
  ["valkey:8.1.1", ["redis:8.0.2", "valkey:8.1.1", "valkey:9.1.2"]],
  ["valkey:9.1.2", ["valkey:9.1.2"]],
])("what %s writes can be read by %s", (from, readers) => {
  const all = ["redis:7.0.15", "redis:8.0.2", "valkey:8.1.1", "valkey:9.1.2"];
  expect(all.filter((to) => can(from, to))).toEqual(readers);
});

it.each([
  ["redis:6.2", "redis:7.0", true],
  ["redis:7.0", "redis:6.2", false],
  ["redis:7.2", "valkey/valkey:7.2", true],
  ["valkey/valkey:7.2", "redis:7.2", true],
  ["redis:7.4", "valkey/valkey:8.0", false],
  ["redis:7.4", "redis:7.2", false],
  ["redis:8.4", "redis:7.4", true],
  ["redis:8.6", "redis:8.4", false],
  ["redis:8.0-alpine", "docker.io/library/redis:8.2-bookworm", true],
  // Who knows which version is meant? Not refused: the server will say.
  ["redis:7", "valkey/valkey:8.1", true],
  ["redis:8", "redis:7", true],
  ["redis:8", "redis:7.0", false],
  ["redis:latest", "redis:6.2", true],
  ["acme/cache:2", "redis:7.0", true],
  ["redis:8.0", "acme/cache:1", true],
  ["redis:8.0", "redis:9.2", true],
])("from %s to %s: %s", (from, to, isPossible) => {
  expect(can(from, to)).toBe(isPossible);
});

it("says which formats", () => {
  expect(whyUnreadable(serverOf("redis:8.0"), serverOf("valkey/valkey:9.1"))).toBe(
    "Valkey 9.1 cannot read what Redis 8.0 writes (format 12; it knows those up to 11, and 80)",
  );
});
