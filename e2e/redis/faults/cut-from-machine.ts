import { readFileSync } from "node:fs";
import { join } from "node:path";
import { networkCommands } from "../../network/testing/machines.ts";

/**
 * Nothing passes between this machine, where the operator runs, and a server, as if the cable between the two were
 * pulled; the server's node, its replicas and the API server still hear of each other. Disposing of it heals it.
 */
export async function cutFromMachine(dir: string, address: string): Promise<AsyncDisposable> {
  const { id } = JSON.parse(readFileSync(join(dir, "cluster.json"), "utf8")) as { readonly id: string };
  const table = `kedge-${id}-cut`;
  const commands = await networkCommands();
  await commands.nft(`table ip ${table} {
  chain output {
    type filter hook output priority filter - 10; policy accept;
    ip daddr ${address} tcp dport 6379 drop
  }
  chain input {
    type filter hook input priority filter - 10; policy accept;
    ip saddr ${address} tcp sport 6379 drop
  }
}
`);
  return {
    async [Symbol.asyncDispose]() {
      await commands.nft(`delete table ip ${table}\n`);
    },
  };
}
