import type { PlainAnswer } from "./http-server.ts";

/** A condition: undefined when it holds, else why not. */
export type HealthCheck = () => string | undefined;

/**
 * Answers probes as Kubernetes' own components do. `/healthz` and `/livez` hold for as long as anybody answers at all;
 * `/readyz` when all checks hold. Each check has a path of its own, and `?verbose` tells all.
 */
export function answerHealth(url: URL, checks: ReadonlyMap<string, HealthCheck>): PlainAnswer | undefined {
  const [, probe = "", name, ...rest] = url.pathname.split("/");
  if (rest.length > 0) return undefined;
  const isVerbose = url.searchParams.has("verbose");
  if (probe === "healthz" || probe === "livez") {
    return name === undefined || name === "ping" ? report(probe, new Map(), isVerbose) : undefined;
  }
  if (probe !== "readyz") return undefined;
  if (name === undefined) return report(probe, checks, isVerbose);
  const check = checks.get(name);
  return check === undefined ? undefined : report(probe, new Map([[name, check]]), isVerbose);
}

function report(probe: string, checks: ReadonlyMap<string, HealthCheck>, isVerbose: boolean): PlainAnswer {
  const failures = new Map<string, string>();
  for (const [name, check] of checks) {
    const failure = check();
    if (failure !== undefined) failures.set(name, failure);
  }
  const isHealthy = failures.size === 0;
  if (isHealthy && !isVerbose) return { status: 200, body: "ok" };
  const lines = ["[+]ping ok"];
  for (const name of checks.keys()) {
    const failure = failures.get(name);
    lines.push(failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${failure}`);
  }
  lines.push(`${probe} check ${isHealthy ? "passed" : "failed"}`);
  return { status: isHealthy ? 200 : 503, body: `${lines.join("\n")}\n` };
}
