import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client, DynamicObject } from "@kedge/client";
import { parseAllDocuments } from "yaml";
import { root } from "./run-cli.ts";

/** Applies all objects of a YAML file of this workspace, as `kubectl apply --server-side` does. */
export async function applyFile(client: Client, path: string): Promise<void> {
  const text = await readFile(join(root, path), "utf8");
  for (const document of parseAllDocuments(text)) {
    // Our own examples, which the server checks.
    const object = document.toJS() as DynamicObject;
    const [group = "", version] = object.apiVersion.includes("/")
      ? object.apiVersion.split("/")
      : ["", object.apiVersion];
    const kind = await client.discovery.kind({ group, kind: object.kind, ...(version && { version }) });
    await client.of(kind).apply(object, { fieldManager: "e2e" });
  }
}
