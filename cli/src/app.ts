import { buildApplication, buildRouteMap } from "@stricli/core";
import { benchCommand } from "./commands/bench/command.ts";
import { downCommand } from "./commands/down/command.ts";
import { generateRoutes } from "./commands/generate/command.ts";
import { imageRoutes } from "./commands/image/command.ts";
import { nodeRoutes } from "./commands/node/command.ts";
import { operatorCommand } from "./commands/operator/command.ts";
import { redisRoutes } from "./commands/redis/command.ts";
import { snapshotRoutes } from "./commands/snapshot/command.ts";
import { statusCommand } from "./commands/status/command.ts";
import { testCommand } from "./commands/test/command.ts";
import { upCommand } from "./commands/up/command.ts";
import { versionCommand } from "./commands/version/command.ts";
import { whyCommand } from "./commands/why/command.ts";
import { text } from "./text.ts";

const root = buildRouteMap({
  routes: {
    up: upCommand,
    down: downCommand,
    status: statusCommand,
    snapshot: snapshotRoutes,
    node: nodeRoutes,
    image: imageRoutes,
    why: whyCommand,
    operator: operatorCommand,
    redis: redisRoutes,
    generate: generateRoutes,
    test: testCommand,
    bench: benchCommand,
    version: versionCommand,
  },
  docs: {
    brief: "Kubernetes operators in TypeScript",
    fullDescription: [
      "Kedge: Kubernetes operators in TypeScript.",
      "",
      "EXAMPLES",
      "  kedge up                          a cluster on this machine, with Redis running in it",
      "  kedge test                        everything that this machine can test",
      "  kedge test unit --filter client   unit tests of files with `client` in their path",
      "  kedge <command> --help            options and examples of one command",
      "",
      "Exit codes: 0 it worked, 1 it did not, 2 the command line was wrong.",
    ].join("\n"),
  },
});

/** The kedge command. What a command does is loaded when it is called, so that help is instant. */
export const app = buildApplication(root, {
  name: "kedge",
  scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
  documentation: { caseStyle: "convert-camel-to-kebab", useAliasInUsageLine: true },
  localization: { text },
});
