/**
 * A program that makes one call and then has nothing more to do: `node one-call.ts <server> <h2|http/1.1>`. It prints the
 * answer and how long it lived after it.
 */
import { realClock } from "@kedge/machinery";
import { NetworkTransport } from "../transport/network-transport.ts";
import { textOf } from "./bodies.ts";
import { testConfig } from "./config.ts";

const [server = "", protocol] = process.argv.slice(2);
const transport = new NetworkTransport(testConfig(server), {
  clock: realClock,
  protocols: protocol === "h2" ? ["h2"] : ["http/1.1"],
});
const { body } = await transport.request({ method: "GET", path: "/", headers: {} });
const answer = await textOf(body);
const done = realClock.monotonic();
process.on("exit", () => process.stdout.write(`${answer} ${realClock.monotonic() - done}`));
