import { realClock } from "@kedge/machinery";
import { isObject } from "../comparison/json.ts";
import { bodyOf } from "../differential/player/body.ts";
import { exchange } from "../differential/player/exchange.ts";
import type { Server } from "../differential/player/server.ts";
import { until } from "../real/wait.ts";
import { fuzzNamespace } from "./fuzz-kind.ts";
import { gadget, gadgetDefinition } from "./kinds/gadget.ts";
import type { Pair } from "./live.ts";

/** Gives both servers what the objects need: a namespace, its service account, the custom kind. */
export async function prepare({ real, ours }: Pair): Promise<void> {
  for (const server of [real, ours]) {
    await create(server, "/api/v1/namespaces", { metadata: { name: fuzzNamespace } });
    await create(server, `/api/v1/namespaces/${fuzzNamespace}/serviceaccounts`, {
      metadata: { name: "default" },
    });
    await create(server, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", gadgetDefinition);
    await until(
      "the server serves gadgets",
      async () => (await ask(server, "GET", gadget.path)).status === 200,
    );
    // It learns to apply to a new kind a little later than it learns to serve it.
    const applied = {
      apiVersion: gadget.apiVersion,
      kind: gadget.kind,
      metadata: { name: "first" },
      spec: { size: "small" },
    };
    await until("the server knows the fields of gadgets", async () => {
      const { status, value } = await ask(server, "PATCH", `${gadget.path}/first?fieldManager=x`, applied);
      const { metadata } = isObject(value) ? value : {};
      return status < 300 && JSON.stringify(metadata).includes("f:size");
    });
  }
}

async function create(server: Server, path: string, object: unknown): Promise<void> {
  const { status, value } = await ask(server, "POST", path, object);
  if (status !== 201)
    throw new Error(`${path} refuses what the test needs: ${status} ${JSON.stringify(value)}`);
}

async function ask(
  server: Server,
  method: string,
  path: string,
  json?: unknown,
): Promise<{ status: number; value: unknown }> {
  using deadline = realClock.deadline(120_000);
  const type = method === "PATCH" ? "application/apply-patch+yaml" : "application/json";
  const request = {
    method,
    path,
    query: {},
    headers: { "content-type": type },
    ...(json !== undefined && { body: { json } }),
  };
  const answer = await exchange(request, { server, variables: {}, signal: deadline.signal });
  return { status: answer.status, value: (await bodyOf(answer)).value };
}
