import { existsSync, globSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import type { KedgeContext } from "../../context.ts";
import { exitCodes } from "../../exit-code.ts";
import { inheritNode, inheritProgram } from "../../run-program.ts";

/** The flags of `kedge bench`. */
export interface BenchFlags {
  readonly minutes?: number;
  readonly short?: boolean;
  readonly filter?: string;
  readonly kills?: number;
  readonly pauses?: number;
  readonly switchovers?: number;
  readonly nodeKills?: number;
}

/** These take as long as they are told to, need root and compare nothing, so they run only when they are asked for. */
const lasting: readonly string[] = ["soak", "redis-calm", "redis-idle"];
const apiserver = "apiserver";
const cluster = "cluster";
const redis = "redis";

/** Runs bench/<name>/run.ts, or all of them, one after the other so that none disturbs another. */
export async function runBenchmarks(
  context: KedgeContext,
  { minutes, short = false, filter, ...faults }: BenchFlags,
  only?: string,
): Promise<Error | void> {
  const programs = globSync("bench/*/run.ts", { cwd: context.root }).toSorted();
  const names = programs.map(nameOf);
  if (names.length === 0) return new Error("there is no measurement yet: add bench/<name>/run.ts");
  if (only !== undefined && !names.includes(only)) {
    return new Error(`no measurement is named \`${only}\`. There are: ${names.join(", ")}`);
  }
  const isLasting = only !== undefined && lasting.includes(only);
  if (minutes !== undefined && !isLasting) {
    const those = lasting.map((name) => `\`${name}\``).join(", ");
    return new Error(`--minutes is for ${those} only: the others take as long as they take`);
  }
  if (short && only !== apiserver && only !== cluster) {
    return new Error("--short is for `apiserver` and `cluster` only: the others are as short as they can be");
  }
  if (filter !== undefined && only !== apiserver) {
    return new Error("--filter is for `apiserver` only: the others have no parts");
  }
  const rounds = roundsOf(faults);
  if (rounds.length > 0 && only !== redis) {
    return new Error(`${rounds[0]} is for \`redis\` only: the others make no faults happen`);
  }
  const problem = isLasting || only === redis ? undefined : await installPeers(context);
  if (problem !== undefined) return problem;

  const args = [
    ...(minutes === undefined ? [] : [String(minutes)]),
    ...(short ? ["--short"] : []),
    ...(filter === undefined ? [] : ["--filter", filter]),
    ...rounds,
  ];
  for (const program of programs) {
    const name = nameOf(program);
    if (only === undefined ? lasting.includes(name) : name !== only) continue;
    const code = await inheritNode([program, ...args], context.root);
    if (code !== 0) context.process.exitCode = exitCodes.failed;
  }
}

/** How often each fault is to happen, as its program takes it. */
function roundsOf({
  kills,
  pauses,
  switchovers,
  nodeKills,
}: Pick<BenchFlags, "kills" | "pauses" | "switchovers" | "nodeKills">): readonly string[] {
  const all = { kills, pauses, switchovers, "node-kills": nodeKills };
  return Object.entries(all).flatMap(([name, times]) =>
    times === undefined ? [] : [`--${name}`, String(times)],
  );
}

function nameOf(program: string): string {
  return basename(dirname(program));
}

/** What we measure ourselves against is no dependency of ours: it lives in a folder of its own, installed when needed. */
async function installPeers({ process: { env, stderr }, root }: KedgeContext): Promise<Error | undefined> {
  const peers = join(root, "bench/peers");
  if (!existsSync(join(peers, "package-lock.json")) || existsSync(join(peers, "node_modules")))
    return undefined;
  stderr.write("kedge: installing the peers to measure against into bench/peers\n");
  const cache = env["KEDGE_CACHE"];
  const code = await inheritProgram(
    "npm",
    [
      "ci",
      "--ignore-scripts",
      "--loglevel=error",
      ...(cache === undefined ? [] : ["--cache", join(cache, "npm")]),
    ],
    { cwd: peers, env: { ...env, PATH: `${dirname(process.execPath)}${delimiter}${env["PATH"] ?? ""}` } },
  );
  return code === 0
    ? undefined
    : new Error("npm could not install the peers: check the network, then run this again");
}
