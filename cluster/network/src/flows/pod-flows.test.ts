import { silentLogger } from "@kedge/machinery";
import { expect, it } from "vitest";
import type { NetworkCommands } from "../commands.ts";
import { createPodFlows } from "./pod-flows.ts";

/** A kernel that holds each order until it is told to go on. */
function kernel() {
  const orders: { readonly input: string; readonly end: PromiseWithResolvers<string> }[] = [];
  const never = (): Promise<never> => Promise.reject(new Error("not asked for"));
  const commands: NetworkCommands = {
    ip: never,
    ipBatch: never,
    nft: never,
    nftQuery: never,
    perl(_program, input) {
      const end = Promise.withResolvers<string>();
      orders.push({ input, end });
      return end.promise;
    },
  };
  return { commands, orders };
}

it("forgets the flows of all pods that go meanwhile at once, each before its call ends", async () => {
  const { commands, orders } = kernel();
  const flows = createPodFlows({ commands, logger: silentLogger });
  const ended: string[] = [];
  const forget = (address: string): Promise<void> =>
    flows.forget(address).then(() => void ended.push(address));
  const first = forget("10.244.0.11");
  await expect.poll(() => orders.length).toBe(1);
  const others = [forget("10.244.0.12"), forget("10.244.0.13"), forget("10.244.0.12")];
  expect(orders.map(({ input }) => input)).toEqual(["end 10.244.0.11\n"]);
  orders[0]?.end.resolve("1");
  await first;
  await expect.poll(() => orders.length).toBe(2);
  expect(ended).toEqual(["10.244.0.11"]);
  expect(orders[1]?.input).toBe("end 10.244.0.12\nend 10.244.0.13\n");
  orders[1]?.end.resolve("0");
  await Promise.all(others);
});

it("lets a pod go whose flows cannot be forgotten, and goes on", async () => {
  const { commands, orders } = kernel();
  const flows = createPodFlows({ commands, logger: silentLogger });
  const first = flows.forget("10.244.0.11");
  await expect.poll(() => orders.length).toBe(1);
  orders[0]?.end.reject(new Error("there is no netlink"));
  await first;
  const second = flows.forget("10.244.0.12");
  await expect.poll(() => orders.length).toBe(2);
  orders[1]?.end.resolve("0");
  await second;
});
