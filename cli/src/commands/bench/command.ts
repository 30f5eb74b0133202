import { buildCommand } from "@stricli/core";
import type { KedgeContext } from "../../context.ts";
import type { BenchFlags } from "./run.ts";

/** `kedge bench [name]` */
export const benchCommand = buildCommand<BenchFlags, [name?: string], KedgeContext>({
  loader: async () => {
    const { runBenchmarks } = await import("./run.ts");
    return function (flags, name) {
      return runBenchmarks(this, flags, name);
    };
  },
  parameters: {
    flags: {
      minutes: {
        kind: "parsed",
        parse: parseMinutes,
        optional: true,
        placeholder: "number",
        brief: "How long `soak`, `redis-calm` and `redis-idle` take. Default: 15, 60 and 10",
      },
      short: {
        kind: "boolean",
        optional: true,
        withNegated: false,
        brief: "`apiserver` with one server of each kind instead of three, `cluster` with 1,000 pods only",
      },
      filter: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "text",
        brief:
          "Only the parts of `apiserver` with this in their name: start, create 32, get 128, fan-out, list",
      },
      kills: times("`redis`: how often primaries are killed. Default: 10"),
      pauses: times("`redis`: how often they are stopped until they are replaced. Default: 1"),
      switchovers: times("`redis`: how often they are asked to hand over. Default: 1"),
      nodeKills: times("`redis`: how often their nodes lose their power. Default: 1"),
    },
    positional: {
      kind: "tuple",
      parameters: [{ optional: true, parse: String, placeholder: "name", brief: "Only this measurement" }],
    },
  },
  docs: {
    brief: "Measure Kedge against its peers",
    fullDescription: [
      "Measures Kedge against its peers on this machine: each folder of bench/ is one measurement.",
      "Three have no peer, run only when they are named, and exit with 1 when they find anything: `soak` uses a cluster",
      "while the parts of it are killed, and looks for what was lost or left behind; `redis-calm` writes to RedisInstances",
      "while both cores are busy and nothing breaks: no primary may be taken for lost; `redis-idle` counts what is asked",
      "of the API server and of Redis while nothing happens.",
      "",
      "EXAMPLES",
      "  kedge bench          all of them, one after the other",
      "  kedge bench client   the one in bench/client",
      "  kedge bench apiserver --short --filter create",
      "  kedge bench soak --minutes 2",
      "  kedge bench redis-calm --minutes 60",
      "  kedge bench redis --kills 10 --pauses 3 --switchovers 3 --node-kills 3",
    ].join("\n"),
  },
});

function times(brief: string) {
  return { kind: "parsed", parse: parseTimes, optional: true, placeholder: "number", brief } as const;
}

function parseTimes(text: string): number {
  if (/^\d{1,3}$/u.test(text)) return Number(text);
  throw new Error(`${text}: must be a number from 0 to 999`);
}

function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && Number.isFinite(minutes)) return minutes;
  throw new Error(`--minutes ${text}: must be a number greater than 0`);
}
