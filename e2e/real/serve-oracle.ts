import { realClock } from "@kedge/machinery";
import { startOracle, type OracleOptions } from "./oracle.ts";

// An oracle as a program, for who cannot import it: says where it is, and ends with its parent. Its argument is
// `OracleOptions` as JSON.
const options = JSON.parse(process.argv[2] ?? "{}") as OracleOptions;
const began = realClock.now();
const oracle = await startOracle(options);
process.send?.({ kubeconfig: oracle.kubeconfig.path, pids: oracle.processes.map(({ pid }) => pid), began });
process.once("disconnect", () => {
  void oracle.stop();
});
