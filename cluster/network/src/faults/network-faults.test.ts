import { expect, it } from "vitest";
import type { NetworkCommands } from "../commands.ts";
import { nodeLink } from "../machine-network.ts";
import { machine } from "./fault-rules.ts";
import { createNetworkFaults, type NetworkFaults } from "./network-faults.ts";

const id = "3fa9c1";
const [a, b, c] = ["a", "b", "c"].map((name) => nodeLink(id, name));

it.each<[string, (faults: NetworkFaults) => Promise<void>, Readonly<Record<string, readonly string[]>>]>([
  [
    "a cut between nodes, in both directions",
    (faults) => faults.cut("a", "b"),
    { forward: [`iifname "${a}" oifname "${b}" drop`, `iifname "${b}" oifname "${a}" drop`] },
  ],
  [
    "a cut between a node and the machine, which still leads others to each other",
    (faults) => faults.cut(machine, "a"),
    { output: [`oifname "${a}" drop`], input: [`iifname "${a}" drop`] },
  ],
  [
    "what came last between the same two",
    async (faults) => {
      await faults.cut("a", "b");
      await faults.slow("b", "a", { bytesPerSecond: 1000 });
    },
    {
      forward: [
        `iifname "${b}" oifname "${a}" limit rate over 1000 bytes/second burst 65536 bytes drop`,
        `iifname "${a}" oifname "${b}" limit rate over 1000 bytes/second burst 65536 bytes drop`,
      ],
    },
  ],
  [
    "what was not healed",
    async (faults) => {
      await faults.cut("a", "b");
      await faults.cut("a", "c");
      await faults.heal("b", "a");
    },
    { forward: [`iifname "${a}" oifname "${c}" drop`, `iifname "${c}" oifname "${a}" drop`] },
  ],
])("makes %s", async (_name, act, expected) => {
  const nft = lastRuleset();
  await act(createNetworkFaults({ id, commands: nft.commands }));
  for (const chain of ["forward", "input", "output"])
    expect(nft.rulesOf(chain)).toEqual(expected[chain] ?? []);
});

it("removes its table when all is healed", async () => {
  const nft = lastRuleset();
  const faults = createNetworkFaults({ id, commands: nft.commands });
  await faults.cut("a", "b");
  await faults.heal();
  expect(nft.text()).toBe(`add table ip kedge-${id}-faults\ndelete table ip kedge-${id}-faults\n`);
});

it.each([0, -1, 0.5, Number.NaN])("refuses to let %d bytes pass", async (bytesPerSecond) => {
  const faults = createNetworkFaults({ id, commands: lastRuleset().commands });
  await expect(faults.slow("a", "b", { bytesPerSecond })).rejects.toThrow("must be a whole number above 0");
  await expect(faults.cut("a", "a")).rejects.toThrow("a fault is between two");
});

/** Takes rulesets instead of the machine. */
function lastRuleset() {
  let text = "";
  const refuse = (): never => {
    throw new Error("not asked for");
  };
  const commands: NetworkCommands = {
    ip: refuse,
    ipBatch: refuse,
    nftQuery: refuse,
    perl: refuse,
    nft: async (ruleset) => {
      text = ruleset;
    },
  };
  const rulesOf = (chain: string): readonly string[] =>
    (new RegExp(`chain ${chain} \\{\n.*policy accept;\n([^}]*)\\}`, "u").exec(text)?.[1] ?? "")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  return { commands, rulesOf, text: () => text };
}
