import { buildCommand, buildRouteMap } from "@stricli/core";
import { anyClusterFlags, namespaceFlag } from "../../cluster-flags.ts";
import type { KedgeContext } from "../../context.ts";
import type { RedisCliFlags } from "./run.ts";

const cliCommand = buildCommand<RedisCliFlags, [name: string, ...args: string[]], KedgeContext>({
  loader: async () => {
    const { runRedisCli } = await import("./run.ts");
    return function (flags, name, ...args) {
      return runRedisCli(this, flags, [name, ...args]);
    };
  },
  parameters: {
    flags: {
      ...anyClusterFlags,
      namespace: namespaceFlag("Of the RedisInstance"),
      pod: {
        kind: "parsed",
        parse: parseOrdinal,
        default: "0",
        placeholder: "ordinal",
        brief: "Which of its pods; 0 is the primary",
      },
    },
    aliases: { n: "namespace" },
    positional: {
      kind: "array",
      minimum: 1,
      parameter: {
        parse: String,
        placeholder: "name and command",
        brief: "The RedisInstance, and what redis-cli is to do",
      },
    },
  },
  docs: {
    brief: "Run redis-cli inside a RedisInstance",
    fullDescription: [
      "Runs redis-cli in a pod of a RedisInstance, with its password, and prints what it says.",
      "",
      "EXAMPLES",
      "  kedge redis cli sample ping",
      "  kedge redis cli sample set greeting hello",
      "  kedge redis cli sample --pod 1 -- info replication",
    ].join("\n"),
  },
});

function parseOrdinal(text: string): number {
  if (/^\d+$/u.test(text)) return Number(text);
  throw new Error(`${text} is no ordinal: pods are numbered 0, 1, 2, …`);
}

/** `kedge redis …` */
export const redisRoutes = buildRouteMap({
  routes: { cli: cliCommand },
  docs: { brief: "Work with RedisInstances" },
});
