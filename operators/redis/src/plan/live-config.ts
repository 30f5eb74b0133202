import { createHash } from "node:crypto";
import { deepEqual, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Refusal } from "@kedge/runtime";
import { expectedServer } from "../config/image-server.ts";
import { liveChange, mergedConfig, settingLines, type Settings } from "../config/live-change.ts";
import { configHash } from "../config/redis-config.ts";
import { configHashAnnotation, configSetAnnotation } from "../names.ts";
import type { Observed } from "../observe.ts";
import { answering, type AnsweringServer } from "../server-view.ts";
import { operatorUser } from "../users.ts";
import type { ConfigPlan } from "./config.ts";
import { mountedConfig, presentServer, resourcesOf } from "./present-config.ts";
import type { ServerTarget } from "./replication/types.ts";

/** Gives a running server another config. */
export interface SetConfig {
  readonly type: "set config";
  readonly server: ServerTarget;
  readonly uid: string;
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** What says, on the pod, that this process has it. */
  readonly marker: string;
  /** Of the redis.conf that it leads to. */
  readonly hash: string;
}

/** How servers come to have a redis.conf. */
export interface LiveConfigPlan {
  /** What pods are made with: another one replaces them. */
  readonly base: string;
  /** The newest that was accepted, for people to see. */
  readonly shown: string;
  /** By the hash of a base: what servers that start with it are to have instead of some of its lines. */
  readonly overlays: Readonly<Record<string, string>>;
  readonly actions: readonly SetConfig[];
  readonly refusals: readonly Refusal[];
  /** Pods whose server has not got it yet. */
  readonly waiting: readonly string[];
  /** Milliseconds after which to look again. */
  readonly again?: number;
}

/**
 * What servers can change while they run is set in them, and in an overlay of the config that they were started with,
 * which a server that is started again reads. The rest replaces pods, and so does all when no server can be reached, or
 * when image or memory change with it: then each pod gets all of it at once.
 */
export function planLiveConfig(
  observed: Observed,
  config: ConfigPlan & { readonly text: string },
): LiveConfigPlan {
  const { statefulSet, peers } = observed;
  const mounted = mountedConfig(observed);
  const overlays = keptOverlays(observed);
  const whole = { base: config.text, shown: config.text, overlays, actions: [], refusals: [], waiting: [] };
  if (statefulSet === undefined || mounted === undefined) return whole;
  const key = overlayKey(configHash(mounted));
  const overlay = peers?.data?.[key] ?? "";
  if (mounted === config.text && overlay === "") return whole;
  const server = expectedServer(config.image, observed.instance.spec.redisVersion);
  const refused = refusalOf(observed, config.text);
  const touched = [...namesIn(overlay), ...(refused?.names ?? [])];
  const to = refused === undefined ? config.text : `${mounted}\n${overlay}`;
  const settings = liveChange({ from: mounted, to, touched }, server);
  if (settings === undefined) return whole;
  const lines = settingLines(settings);
  const way = lines === overlay ? "set" : wayOf(observed, config);
  if (way === "replace") return whole;
  const targets = answering(observed.servers).filter((one) => isStartedWith(observed, one, mounted));
  const missing = targets.filter((one) => markOf(observed, one) !== markerOf(settings, one));
  const waiting = observed.servers
    .filter((one) => !targets.some((target) => target === one && !missing.includes(target)))
    .map(({ pod }) => pod);
  return {
    base: mounted,
    shown: refused === undefined ? config.text : overlay === "" ? mounted : mergedConfig(mounted, overlay),
    // Only what servers have taken is for those that start: the first one to refuse it has kept it from the others.
    overlays: { ...overlays, [key]: targets.length > 0 && missing.length === 0 ? lines : overlay },
    actions: missing
      .toSorted((one, other) => Number(isPrimary(one)) - Number(isPrimary(other)))
      .map((one) => ({
        type: "set config",
        server: { pod: one.pod, host: one.host, as: operatorUser(one.answer.record.epoch) },
        uid: one.uid,
        settings: [...settings],
        marker: markerOf(settings, one),
        hash: configHash(to),
      })),
    refusals: refused === undefined ? [] : [refused.refusal],
    waiting,
    ...(way === "wait" && { again: 1000 }),
  };
}

/** What an overlay is called in the ConfigMap of peers, and in the folder that pods see of it. */
export function overlayKey(hash: string): string {
  return `live-${hash.slice(0, 10)}.conf`;
}

/** Those of configs that pods have: one that is not replaced yet starts again with its own. */
function keptOverlays({ peers, pods }: Observed): Readonly<Record<string, string>> {
  const used = new Set(
    pods.map(({ metadata }) => overlayKey(metadata.annotations?.[configHashAnnotation] ?? "")),
  );
  const all = Object.entries(peers?.data ?? {}).filter(([key]) => key.startsWith("live-"));
  return Object.fromEntries(all.filter(([key]) => used.has(key)));
}

function namesIn(overlay: string): readonly string[] {
  return overlay.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ", 1)[0] ?? ""]));
}

/** Whether servers are changed while they run or replaced; or whether that is not known yet. */
function wayOf(observed: Observed, { image, resources }: ConfigPlan): "set" | "wait" | "replace" {
  const { servers } = observed;
  const server = presentServer(observed);
  const present = server === undefined ? undefined : resourcesOf(server);
  // A server fills in that there are none.
  if (server?.image !== image || !deepEqual(present ?? {}, resources ?? {})) return "replace";
  if (answering(servers).length > 0) return "set";
  const isStarting = servers.some(({ host, silentMs }) => host !== undefined && silentMs < patienceMs);
  return isStarting ? "wait" : "replace";
}

/** How long servers that run may take to answer for the first time, until they count as out of reach. */
const patienceMs = 15_000;

function isStartedWith({ pods }: Observed, { pod, answer }: AnsweringServer, base: string): boolean {
  const annotations = annotationsOf(pods, pod);
  return (
    answer.record.isAdmitted &&
    !answer.facts.isLoading &&
    annotations[configHashAnnotation] === configHash(base)
  );
}

function isPrimary({ answer }: AnsweringServer): boolean {
  return answer.facts.role === "primary";
}

function markOf({ pods }: Observed, { pod }: AnsweringServer): string | undefined {
  return annotationsOf(pods, pod)[configSetAnnotation];
}

function annotationsOf(pods: readonly DeepReadonly<Pod>[], name: string): Readonly<Record<string, string>> {
  return pods.find(({ metadata }) => metadata.name === name)?.metadata.annotations ?? {};
}

/** Of what was set, and in which process: another one has begun with what it found. */
function markerOf(settings: Settings, { answer }: AnsweringServer): string {
  const hash = createHash("sha256").update(settingLines(settings)).digest("hex");
  return `${hash.slice(0, 10)}-${answer.facts.runId.slice(0, 10)}`;
}

function refusalOf(
  { configTrial }: Observed,
  text: string,
): { readonly refusal: Refusal; readonly names: readonly string[] } | undefined {
  if (configTrial === undefined || configTrial.hash !== configHash(text)) return undefined;
  const { pod, words, names } = configTrial;
  const message = `was refused by the server of ${pod}: ${words}; servers keep what they have: correct it, or set it back`;
  return { refusal: { field: "spec.config", message }, names };
}
