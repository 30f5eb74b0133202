import { messageOf } from "@kedge/machinery";
import type { IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import { logOptionsOf } from "../logs/log-options.ts";
import { readLog } from "../logs/read-log.ts";
import { podFolder } from "../pod/pod-folder.ts";
import { resourceMetrics } from "../stats/resource-metrics.ts";
import { statsSummary } from "../stats/summary.ts";
import { findPod, findRuns, refuseSimulated, RequestError } from "./find-container.ts";
import type { NodeApiContext } from "./context.ts";

/** Answers a request that is no upgrade. Never throws. */
export async function answer(
  context: NodeApiContext,
  request: IncomingMessage,
  response: ServerResponse,
  stop: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  // Before anything is waited for: who goes in the meantime must not be followed for ever.
  response.once("close", () => gone.abort());
  response.on("error", () => gone.abort());
  request.on("error", () => gone.abort());
  const signal = AbortSignal.any([gone.signal, stop]);
  try {
    const url = new URL(request.url ?? "/", "https://node");
    if (request.method !== "GET")
      throw new RequestError(405, "only GET is answered here, or a WebSocket upgrade");
    const [, root, ...rest] = url.pathname.split("/").map(decodeURIComponent);
    switch (root) {
      case "healthz":
        health(context, response);
        return;
      case "pods":
        response.writeHead(200, { "content-type": "application/json" });
        response.end(
          JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items: context.pods() }),
        );
        return;
      case "stats":
        if (rest.join("/") !== "summary") throw new RequestError(404, "404 page not found");
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(statsSummary(context.nodeName, context.pods(), context.usage())));
        return;
      case "metrics":
        if (rest.join("/") !== "resource") throw new RequestError(404, "404 page not found");
        response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
        response.end(resourceMetrics(context.pods(), context.usage()));
        return;
      case "containerLogs":
        await containerLogs(context, { path: rest, query: url.searchParams, response, signal });
        return;
      default:
        throw new RequestError(404, "404 page not found");
    }
  } catch (error) {
    refuse(response, error);
  }
}

function health(context: NodeApiContext, response: ServerResponse): void {
  const problem = context.health();
  if (problem !== undefined) throw new RequestError(500, problem);
  response.writeHead(200, { "content-type": "text/plain" });
  response.end("ok");
}

async function containerLogs(
  context: NodeApiContext,
  request: {
    readonly path: readonly string[];
    readonly query: URLSearchParams;
    readonly response: ServerResponse;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { response } = request;
  const [namespace = "", podName = "", container = ""] = request.path;
  const options = optionsOf(request.query, context.clock.now());
  const pod = findPod(context, namespace, podName);
  const runs = await findRuns(context, pod, container);
  const run = options.previous ? runs[1] : runs[0];
  if (run === undefined || run.state === "created") {
    const which = options.previous ? "previous terminated container" : "container";
    throw new RequestError(
      400,
      `${which} "${container}" in pod "${podName}" ${options.previous ? "not found" : "is waiting to start"}`,
    );
  }
  refuseSimulated(context, pod, "it has no logs");
  request.signal.throwIfAborted();
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
  response.flushHeaders();
  const source = {
    path: podFolder(context.folder, pod.metadata.uid).logOf(container, run.attempt),
    isRunning: async () => (await context.runtime.inspect(run.id))?.state === "running",
    clock: context.clock,
    signal: request.signal,
  };
  for await (const part of readLog(source, options)) {
    if (!response.write(part)) await once(response, "drain", { signal: request.signal });
  }
  response.end();
}

function optionsOf(query: URLSearchParams, now: number): ReturnType<typeof logOptionsOf> {
  try {
    return logOptionsOf(query, now);
  } catch (error) {
    throw new RequestError(400, messageOf(error));
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(error instanceof RequestError ? error.status : 500, { "content-type": "text/plain" });
  response.end(messageOf(error));
}
