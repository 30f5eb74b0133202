import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { DeepReadonly } from "@kedge/machinery";
import type { HTTPGetAction } from "@kedge/machinery/kinds/core/v1";
import type { ContainerDefinition } from "../pod/types.ts";
import { resolvePort } from "./resolve-port.ts";
import type { ProbeResult } from "./types.ts";

/** Succeeds on a status from 200 to 399. Certificates are not checked, as everywhere in Kubernetes' probes. */
export async function httpProbe(
  action: DeepReadonly<HTTPGetAction>,
  container: ContainerDefinition,
  target: { readonly podAddress: string; readonly signal: AbortSignal },
): Promise<ProbeResult> {
  const host = action.host === undefined || action.host === "" ? target.podAddress : action.host;
  const port = resolvePort(action.port, container);
  const path = `/${(action.path ?? "").replace(/^\//u, "")}`;
  const scheme = (action.scheme ?? "HTTP").toLowerCase();
  const url = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
  const options = {
    host,
    port,
    path,
    method: "GET",
    headers: headersOf(action),
    agent: false,
    signal: target.signal,
  } as const;
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const onAnswer = (answer: IncomingMessage): void => {
    answer.resume();
    answer.destroy();
    const status = answer.statusCode ?? 0;
    resolve(
      status >= 200 && status < 400
        ? { outcome: "success", output: "" }
        : { outcome: "failure", output: `HTTP probe failed with statuscode: ${status}` },
    );
  };
  const outgoing =
    scheme === "https"
      ? requestHttps({ ...options, rejectUnauthorized: false }, onAnswer)
      : requestHttp(options, onAnswer);
  outgoing.once("error", (error) => {
    const why = target.signal.aborted ? "context deadline exceeded" : error.message;
    resolve({ outcome: "failure", output: `Get "${url}": ${why}` });
  });
  outgoing.end();
  return await promise;
}

function headersOf(action: DeepReadonly<HTTPGetAction>): Record<string, string> {
  const headers: Record<string, string> = {
    "User-Agent": "kube-probe/1.36",
    Accept: "*/*",
    Connection: "close",
  };
  for (const { name, value } of action.httpHeaders ?? []) {
    const known = Object.keys(headers).find((other) => other.toLowerCase() === name.toLowerCase());
    if (known !== undefined) delete headers[known];
    // An empty value takes a default header away.
    if (value !== "") headers[name] = value;
  }
  return headers;
}
