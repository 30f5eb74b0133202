import { seededRandom } from "@kedge/machinery";
import { PackageError } from "@kedge/node";
import { checkValue, directiveGroups, serverOf } from "@kedge/redis-operator/config";
import { describe, expect, it } from "vitest";
import { learnType } from "./learn-type.ts";
import { realServers, whyNot } from "./real-servers.ts";

/** How many pairs of directive and value are tried with each server: a run of it takes some milliseconds. */
const tries = 60;

const values = [
  ..."yes no YES maybe 0 1 -1 64 100 010 65536 4294967296 99999999999999999999 1k 1gb 1GB 1tb 5% 101%".split(
    " ",
  ),
  ..."allkeys-lru everysec notice nothing optional save".split(" "),
  "one two",
  "save now",
  '""',
];

/** What is not a value, or would reach out of the test. */
const leftOut = new Set(
  "dir include loadmodule rename-command replicaof slaveof unixsocket user port bind logfile".split(" "),
);

/** Where a server has more to say than which words it takes: of its build, or of names of files. */
const ofTheServer = new Set(["activedefrag", "appenddirname", "appendfilename", "proc-title-template"]);

describe("the table of what directives take", () => {
  it("says what the servers say", async ({ skip }) => {
    const servers = await realServers().catch((error: unknown) => {
      if (error instanceof PackageError) return skip(`the servers cannot be fetched: ${error.message}`);
      throw error;
    });
    const others: string[] = [];
    for (const server of servers) {
      const { program, version } = server;
      const random = seededRandom(`${program} ${version}`);
      const names = directiveGroups
        .filter(({ since }) => since[program] !== undefined)
        .flatMap((group) => group.names.split(/\s+/u))
        .filter((name) => name !== "" && !leftOut.has(name));
      for (let count = 0; count < tries; count += 1) {
        const name = names[random.int(names.length)] ?? "";
        const value = values[random.int(values.length)] ?? "";
        const told = checkValue(name, value, serverOf(`${program}:${version}`));
        const said = await whyNot(server, `${name} ${value}`);
        // Names have a check of their own.
        if ((told === undefined) === (said === undefined) || said?.startsWith("Bad directive") === true)
          continue;
        // What the table leaves to the server may be refused by it; the other way round never.
        const isLeft = ofTheServer.has(name) || (await learnType(server, name)) === "other";
        if (told !== undefined || !isLeft)
          others.push(
            `${program} ${version}: ${name} ${value}: table ${told ?? "takes it"}, server ${said ?? "takes it"}`,
          );
      }
    }
    expect(others).toEqual([]);
  });
});
