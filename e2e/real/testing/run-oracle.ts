/** A program that starts an oracle and then goes as its argument says, without stopping it: `throw`, or `wait`. */
import { startOracle } from "../oracle.ts";

const [way] = process.argv.slice(2);
const { processes } = await startOracle();
process.stdout.write(`${JSON.stringify(processes.map(({ pid }) => pid))}\n`);
if (way === "throw") throw new Error("in the middle");
await new Promise(() => process.stdin.resume());
