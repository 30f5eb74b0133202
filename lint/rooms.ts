/**
 * "Which way imports point" of docs/architecture.md: each room, and the rooms that it may import by the name of their
 * package. What is not listed for a room may not be imported there.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  "packages/machinery": [],
  "packages/validation": ["machinery"],
  "packages/pki": ["machinery"],
  "packages/client": ["machinery"],
  "packages/schema": ["machinery"],
  "packages/runtime": ["machinery", "client", "schema"],
  "packages/testkit": [
    "machinery",
    "client",
    "schema",
    "runtime",
    "store",
    "apiserver",
    "controllers",
    "scheduler",
    "node",
  ],
  "cluster/store": ["machinery"],
  "cluster/apiserver": ["machinery", "validation", "pki", "store"],
  "cluster/controllers": ["machinery", "pki", "client", "runtime"],
  "cluster/scheduler": ["machinery", "runtime"],
  "cluster/network": ["machinery", "runtime"],
  "cluster/node": ["machinery", "pki", "client", "runtime", "network"],
  "operators/redis": ["machinery", "client", "schema", "runtime"],
  "operators/application": ["machinery", "client", "schema", "runtime"],
  "examples/website": ["machinery", "client", "schema", "runtime"],
};

/** What only the tests of a room may import, beside `testkit`, which all tests may. */
const inTests: Readonly<Record<string, readonly string[]>> = {
  "packages/schema": ["validation", "client"],
};

/** Every room with the packages that its code may import: for tests of the rule. */
export const roomTable = Object.entries(rooms);

/** The room that a file belongs to, by its path from the root of the workspace. */
export function roomOf(file: string): string | undefined {
  const [group = "", name] = file.split(/[/\\]/u);
  if (["cli", "e2e", "bench", "lint"].includes(group)) return group;
  return ["packages", "cluster", "operators", "examples"].includes(group) && name !== undefined
    ? `${group}/${name}`
    : undefined;
}

/** Says why a file may not import a package of ours; undefined when it may. */
export function mayImport(file: string, specifier: string): string | undefined {
  const [, name = "", folder] = specifier.split("/");
  if (folder === "src" || folder === "dist") return `Import what @kedge/${name} exports, not its files.`;
  const room = roomOf(file);
  const allowed = allowedIn(room, file);
  if (allowed === undefined || allowed.includes(name)) return undefined;
  const instead = allowed.length === 0 ? "none of our packages" : allowed.join(", ");
  return `Imports point the other way here: ${room ?? file} may import ${instead} (lint/rooms.ts).`;
}

/** Undefined: anything. Only programs and whole-system tests may; a room that is not in the table may import nothing. */
function allowedIn(room: string | undefined, file: string): readonly string[] | undefined {
  if (room === undefined || ["cli", "e2e", "bench", "lint"].includes(room)) return undefined;
  const allowed = rooms[room] ?? [];
  return isTest(file) ? [...allowed, ...(inTests[room] ?? []), "testkit"] : allowed;
}

/** Tests, and what only they use, may import more. */
export function isTest(file: string): boolean {
  return file.endsWith(".test.ts") || file.includes("/testing/");
}
