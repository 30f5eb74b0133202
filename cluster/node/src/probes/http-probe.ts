import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { DeepReadonly } from "@kedge/machinery";
import type { HTTPGetAction } from "@kedge/machinery/kinds/core/v1";
import type { ContainerDefinition } from "../model/types.ts";
import { resolvePort } from "./resolve-port.ts";
import type { ProbeResult } from "./types.ts";

/** As in Go. */
const mostRedirects = 10;
const mostInformation = 5;

/**
 * Succeeds on a status from 200 to 399. Redirects are followed on the same host only; one that leads elsewhere is a
 * success. Certificates are not checked, as everywhere in Kubernetes' probes.
 */
export async function httpProbe(
  action: DeepReadonly<HTTPGetAction>,
  container: ContainerDefinition,
  target: { readonly podAddress: string; readonly signal: AbortSignal },
): Promise<ProbeResult> {
  const answer = await httpAnswer(action, container, { ...target, userAgent: "kube-probe/1.36" });
  return typeof answer === "string" ? { outcome: "failure", output: answer } : verdictOn(answer);
}

/** Asks, and gives the status of the answer, or why there was none. */
export async function httpAnswer(
  action: DeepReadonly<HTTPGetAction>,
  container: ContainerDefinition,
  target: { readonly podAddress: string; readonly signal: AbortSignal; readonly userAgent: string },
): Promise<number | string> {
  const host = action.host === undefined || action.host === "" ? target.podAddress : action.host;
  const port = resolvePort(action.port, container);
  const path = `/${(action.path ?? "").replace(/^\//u, "")}`;
  const scheme = (action.scheme ?? "HTTP").toLowerCase();
  const headers = headersOf(action, target.userAgent);
  let url = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await get(url, headers, target.signal);
    if (typeof answer === "string") return `Get "${url}": ${answer}`;
    const next = redirectOf(answer, url);
    if (next === undefined) return answer.status;
    if (redirects === mostRedirects) return `Get "${next}": stopped after ${mostRedirects} redirects`;
    url = next;
  }
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
}

/** The beginning of an answer, or why there is none. Whatever the other side does, it ends: at the latest with the signal. */
function get(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer | string> {
  const { promise, resolve } = Promise.withResolvers<Answer | string>();
  const options = { method: "GET", headers, agent: false, signal } as const;
  const outgoing = url.startsWith("https:")
    ? requestHttps(url, { ...options, rejectUnauthorized: false })
    : requestHttp(url, options);
  const finish = (answer: Answer | string): void => {
    resolve(answer);
    outgoing.destroy();
  };
  const answered = ({ statusCode = 0, headers: { location } }: IncomingMessage): void => {
    finish({ status: statusCode, location });
  };
  let informed = 0;
  outgoing.on("information", () => {
    informed += 1;
    if (informed > mostInformation) finish("net/http: too many 1xx informational responses");
  });
  outgoing.on("response", answered);
  // A 101, which nobody asked for.
  outgoing.on("upgrade", (answer, socket) => {
    socket.on("error", () => undefined);
    socket.destroy();
    answered(answer);
  });
  outgoing.on("error", ({ message }) => finish(signal.aborted ? "context deadline exceeded" : message));
  outgoing.on("close", () => finish(signal.aborted ? "context deadline exceeded" : "EOF"));
  outgoing.end();
  return promise;
}

/** Where the answer sends us, when that is the same host. */
function redirectOf({ status, location }: Answer, from: string): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  const next = URL.parse(location, from);
  const isHttp = next?.protocol === "http:" || next?.protocol === "https:";
  return isHttp && next.hostname === new URL(from).hostname ? next.href : undefined;
}

function verdictOn(status: number): ProbeResult {
  return status >= 200 && status < 400
    ? { outcome: "success", output: "" }
    : { outcome: "failure", output: `HTTP probe failed with statuscode: ${status}` };
}

function headersOf(action: DeepReadonly<HTTPGetAction>, userAgent: string): Record<string, string> {
  const headers: Record<string, string> = {
    "User-Agent": userAgent,
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
