import { buildCommand, buildRouteMap, numberParser } from "@stricli/core";
import { anyClusterFlags, namespaceFlag } from "../../cluster-flags.ts";
import type { KedgeContext } from "../../context.ts";
import type { AskingFlags } from "./ask-instance.ts";
import type { RedisRotatePasswordFlags } from "./run-rotate-password.ts";
import type { RedisStatusFlags } from "./run-status.ts";
import type { RedisSwitchoverFlags } from "./run-switchover.ts";
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
        parse: parsePod,
        optional: true,
        placeholder: "pod",
        brief: "Which of its pods, by number or name. Default: the primary",
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
      "Runs redis-cli in a pod of a RedisInstance, with its password, and prints what it says. Without a command it is",
      "interactive, or reads commands from what is piped into it.",
      "",
      "EXAMPLES",
      "  kedge redis cli sample ping",
      "  kedge redis cli sample",
      "  kedge redis cli sample set greeting hello",
      "  kedge redis cli sample < commands.txt",
      "  kedge redis cli sample --pod 1 -- info replication",
    ].join("\n"),
  },
});

function parsePod(text: string): string {
  if (/^(?:[a-z][-a-z\d]*-)?\d+$/u.test(text)) return text;
  throw new Error(`${text} is no pod: give its number, such as 1, or its name, such as sample-1`);
}

const aboutOne = {
  kind: "tuple",
  parameters: [{ parse: String, placeholder: "name", brief: "The RedisInstance" }],
} as const;

const statusCommand = buildCommand<RedisStatusFlags, [name: string], KedgeContext>({
  loader: async () => {
    const { runRedisStatus } = await import("./run-status.ts");
    return function (flags, name) {
      return runRedisStatus(this, flags, name);
    };
  },
  parameters: {
    flags: {
      ...anyClusterFlags,
      namespace: namespaceFlag("Of the RedisInstance"),
      output: { kind: "enum", values: ["text", "json"], default: "text", brief: "How it is written" },
    },
    aliases: { n: "namespace", o: "output" },
    positional: aboutOne,
  },
  docs: {
    brief: "Show how a RedisInstance and each of its servers are",
    fullDescription: [
      "Shows what the operator says of a RedisInstance, asks each server for role, link, lag, memory and keys, and",
      "gives advice where something could be better.",
      "",
      "EXAMPLES",
      "  kedge redis status sample",
      "  kedge redis status sample -o json",
    ].join("\n"),
  },
});

const restartCommand = buildCommand<AskingFlags, [name: string], KedgeContext>({
  loader: async () => {
    const { runRedisRestart } = await import("./run-restart.ts");
    return function (flags, name) {
      return runRedisRestart(this, flags, name);
    };
  },
  parameters: {
    flags: {
      ...anyClusterFlags,
      namespace: namespaceFlag("Of the RedisInstance"),
      timeout: {
        kind: "parsed",
        parse: numberParser,
        default: "600",
        placeholder: "seconds",
        brief: "How long to wait for it",
      },
    },
    aliases: { n: "namespace" },
    positional: aboutOne,
  },
  docs: {
    brief: "Replace the pods of a RedisInstance, one after the other",
    fullDescription: [
      "Replaces the pods of a RedisInstance, one after the other, and waits until all are new and ready.",
      "",
      "EXAMPLES",
      "  kedge redis restart sample",
    ].join("\n"),
  },
});

const switchoverCommand = buildCommand<RedisSwitchoverFlags, [name: string], KedgeContext>({
  loader: async () => {
    const { runRedisSwitchover } = await import("./run-switchover.ts");
    return function (flags, name) {
      return runRedisSwitchover(this, flags, name);
    };
  },
  parameters: {
    flags: {
      ...anyClusterFlags,
      namespace: namespaceFlag("Of the RedisInstance"),
      to: {
        kind: "parsed",
        parse: parsePod,
        optional: true,
        placeholder: "pod",
        brief: "Which replica becomes the primary, by number or name. Default: the best one",
      },
      timeout: {
        kind: "parsed",
        parse: numberParser,
        default: "60",
        placeholder: "seconds",
        brief: "How long to wait for it; then it is not asked for any more",
      },
    },
    aliases: { n: "namespace" },
    positional: aboutOne,
  },
  docs: {
    brief: "Make a replica of a RedisInstance its primary, without loss",
    fullDescription: [
      "Makes a replica the primary, in order and without losing a write, and waits until it is.",
      "",
      "EXAMPLES",
      "  kedge redis switchover cache",
      "  kedge redis switchover cache --to cache-2",
    ].join("\n"),
  },
});

const rotatePasswordCommand = buildCommand<RedisRotatePasswordFlags, [name: string], KedgeContext>({
  loader: async () => {
    const { runRedisRotatePassword } = await import("./run-rotate-password.ts");
    return function (flags, name) {
      return runRedisRotatePassword(this, flags, name);
    };
  },
  parameters: {
    flags: {
      ...anyClusterFlags,
      namespace: namespaceFlag("Of the RedisInstance"),
      system: {
        kind: "boolean",
        default: false,
        brief: "Those of the operator, of replicas and probes, not the clients'",
      },
      timeout: {
        kind: "parsed",
        parse: numberParser,
        default: "60",
        placeholder: "seconds",
        brief: "How long to wait for it",
      },
    },
    aliases: { n: "namespace" },
    positional: aboutOne,
  },
  docs: {
    brief: "Give a RedisInstance another password, without shutting a client out",
    fullDescription: [
      "Makes another password, waits until every server accepts it beside the old one, and then puts it into the Secret",
      "that clients read. The old one is accepted for spec.auth.oldPasswordSeconds more. A password in a Secret of your",
      "own is changed there.",
      "",
      "EXAMPLES",
      "  kedge redis rotate-password cache",
      "  kedge redis rotate-password cache --system",
    ].join("\n"),
  },
});

/** `kedge redis …` */
export const redisRoutes = buildRouteMap({
  routes: {
    cli: cliCommand,
    restart: restartCommand,
    "rotate-password": rotatePasswordCommand,
    status: statusCommand,
    switchover: switchoverCommand,
  },
  docs: { brief: "Work with RedisInstances" },
});
