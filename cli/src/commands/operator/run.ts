import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { connect, loadConfig } from "@kedge/client";
import { realClock, realRandom } from "@kedge/machinery";
import { redisGauges, serveSentinel } from "@kedge/redis-operator";
import { createLogger, createManager, type LogLevel } from "@kedge/runtime";
import type { KedgeContext } from "../../context.ts";
import { keepCompiled } from "../../keep-compiled.ts";
import { operators, redisMeter } from "../../operators.ts";
import type { Address } from "../../parse-address.ts";
import { sayAlive, tellProgress, tellStarter } from "../../cluster/part-messages.ts";
import { tellChanges } from "../../cluster/tell-changes.ts";
import { untilListening } from "../../cluster/until-listening.ts";

/** The flags of `kedge operator`. */
export interface OperatorFlags {
  readonly kubeconfig?: string;
  readonly namespace?: readonly string[];
  readonly controllers?: string;
  readonly healthAddress: Address;
  readonly metricsAddress: Address;
  readonly leaderElect: boolean;
  readonly leaderElectNamespace?: string;
  readonly sentinelAddress?: Address;
  readonly logLevel: LogLevel;
}

/** Runs the operators until a signal says stop, or the process that started us is gone. */
export async function runOperator(context: KedgeContext, flags: OperatorFlags): Promise<Error | void> {
  const known = operators.map(({ name }) => name);
  const names = flags.controllers?.split(",").map((name) => name.trim()) ?? known;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    return new Error(`--controllers: there is no \`${unknown}\`. There are: ${known.join(", ")}`);
  }
  const [clock, random] = [realClock, realRandom];
  const logger = createLogger({ clock, level: flags.logLevel });
  const config = await loadConfig({ env: context.process.env, clock, kubeconfig: flags.kubeconfig });
  const client = connect(config, { clock, random, logger, userAgent: "kedge-operator/0.1.0" });
  const manager = createManager({
    client,
    clock,
    random,
    logger,
    name: "kedge-operator",
    ...(flags.namespace === undefined ? {} : { namespaces: flags.namespace }),
    ...(flags.leaderElect && {
      leaderElection: {
        namespace: flags.leaderElectNamespace ?? config.namespace,
        name: leaseName(names, flags.namespace),
        identity: `${hostname()}_${random.uuid()}`,
      },
    }),
    health: flags.healthAddress,
    metrics: flags.metricsAddress,
  });
  const chosen = operators.filter(({ name }) => names.includes(name));
  for (const { controllers } of chosen) {
    for (const controller of controllers()) manager.add(controller);
  }
  if (names.includes("redis")) {
    for (const gauge of redisGauges(manager.informers, redisMeter)) manager.addGauge(gauge);
  }
  if (process.connected) {
    for (const kind of chosen.flatMap(({ kinds }) => kinds)) tellChanges(manager.informers.of(kind), stateOf);
  }

  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop).once("disconnect", stop);
  using _alive = sayAlive(clock);
  using _compiled = keepCompiled(clock);
  if (process.connected) {
    // Started beside the server. Whoever came too early would ask again after a second or two only.
    const { signal } = stopping;
    await untilListening(Number(new URL(config.server).port), {
      clock,
      onWait: () => tellProgress("waiting for the API server"),
      signal,
    }).catch(() => undefined);
  }
  const { sentinelAddress } = flags;
  const serving =
    sentinelAddress === undefined
      ? undefined
      : serveSentinel({ informers: manager.informers, listen: sentinelAddress, logger }, stopping.signal);
  const running = Promise.all([manager.run(stopping.signal), serving]).finally(stop);
  await Promise.race([manager.ready(stopping.signal).catch(() => undefined), running]);
  if (!stopping.signal.aborted) {
    logger.info("The operators run", {
      controllers: names,
      health: manager.healthAddress,
      metrics: manager.metricsAddress,
    });
    tellStarter({ type: "ready" });
  }
  try {
    await running;
  } finally {
    await client.close();
    if (process.connected) process.disconnect();
  }
}

/** Operators of other kinds or namespaces stand for a Lease of their own. */
function leaseName(controllers: readonly string[], namespaces: readonly string[] = []): string {
  const isAll = controllers.length === operators.length && namespaces.length === 0;
  if (isAll) return "kedge-operator";
  const selection = JSON.stringify([controllers.toSorted(), namespaces.toSorted()]);
  return `kedge-operator-${createHash("sha256").update(selection).digest("hex").slice(0, 10)}`;
}

/** What an object is doing, in one word. Redis instances call it `status`, applications `phase`. */
function stateOf(object: { readonly status?: unknown }): string {
  const { status, phase } = Object.fromEntries<unknown>(Object.entries(object.status ?? {}));
  return [status, phase].find((value) => typeof value === "string") ?? "Unknown";
}
