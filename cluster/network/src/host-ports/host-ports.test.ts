import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { NetworkCommands } from "../commands.ts";
import { network } from "../proxy/testing/service-port.ts";
import type { HostPort } from "../types.ts";
import { forgetHostPorts, openHostPorts, type HostPorts } from "./host-ports.ts";

let folder: string;
let rules: string[];
let failing: boolean;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kedge-host-ports-"));
  [rules, failing] = [[], false];
});
afterEach(() => rmSync(folder, { recursive: true }));

const web: HostPort = { protocol: "tcp", port: 8080, containerPort: 80 };

function open(): Promise<HostPorts> {
  const never = (): Promise<never> => Promise.reject(new Error("not asked for"));
  const commands: NetworkCommands = {
    ip: never,
    ipBatch: never,
    nftQuery: never,
    perl: never,
    async nft(ruleset) {
      if (failing) throw new Error("nft is not there");
      rules.push(ruleset);
      await Promise.resolve();
    },
  };
  return openHostPorts({ network, folder, commands, clock: realClock });
}

it("leads a port to its pod until the pod goes, and says it once", async () => {
  const ports = await open();
  await ports.lead("a", "10.244.0.11", [web]);
  await ports.lead("a", "10.244.0.11", [web]);
  expect(rules).toHaveLength(1);
  expect(rules[0]).toContain("elements = { tcp . 8080 : 10.244.0.11 . 80 }");
  await ports.takeOff("b");
  expect(rules).toHaveLength(1);
  await ports.takeOff("a");
  expect(rules[1]).not.toContain("10.244.0.11");
});

it("refuses a port that another pod has, but not at another address or for another protocol", async () => {
  const ports = await open();
  await ports.lead("a", "10.244.0.11", [web, { ...web, port: 53, address: "192.0.2.1" }]);
  await expect(ports.lead("b", "10.244.0.12", [web])).rejects.toThrow(
    "hostPort 8080/tcp is taken: the pod with the address 10.244.0.11 has it",
  );
  await expect(ports.lead("b", "10.244.0.12", [{ ...web, address: "192.0.2.1" }])).rejects.toThrow(
    "is taken",
  );
  await ports.lead("b", "10.244.0.12", [
    { ...web, protocol: "udp" },
    { ...web, port: 53, address: "192.0.2.2" },
  ]);
  await ports.takeOff("a");
  await ports.lead("c", "10.244.0.13", [web]);
  expect(rules.at(-1)).toContain("tcp . 8080 : 10.244.0.13 . 80");
});

it("knows after a restart what was led before, and keeps it when another pod comes", async () => {
  await (await open()).lead("a", "10.244.0.11", [web]);
  const later = await open();
  await later.lead("b", "10.244.0.12", [{ ...web, port: 8081 }]);
  expect(rules.at(-1)).toContain("tcp . 8080 : 10.244.0.11 . 80, tcp . 8081 : 10.244.0.12 . 80");
});

it("leads a port at the next try when the rules could not be changed", async () => {
  const ports = await open();
  failing = true;
  await expect(ports.lead("a", "10.244.0.11", [web])).rejects.toThrow("nft is not there");
  failing = false;
  await ports.lead("a", "10.244.0.11", [web]);
  expect(rules).toHaveLength(1);
});

it("changes one after the other", async () => {
  const ports = await open();
  const uids = ["a", "b", "c", "d", "e"];
  await Promise.all(uids.map((uid, at) => ports.lead(uid, `10.244.0.1${at}`, [{ ...web, port: 9000 + at }])));
  for (const at of uids.keys()) expect(rules.at(-1)).toContain(`tcp . ${9000 + at} : 10.244.0.1${at} . 80`);
  await Promise.all(uids.map((uid) => ports.takeOff(uid)));
  expect(rules.at(-1)).toMatch(/delete table ip \S+-host-ports\n$/u);
});

it("leaves no file", async () => {
  await (await open()).lead("a", "10.244.0.11", [web]);
  await forgetHostPorts(folder);
  expect(readdirSync(folder)).toEqual([]);
});
