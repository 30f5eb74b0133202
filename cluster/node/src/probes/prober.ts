import { messageOf, type Clock } from "@kedge/machinery";
import { runInContainer } from "../containers/run-in-container.ts";
import type { ContainerRuntime } from "../runtime/types.ts";
import { grpcProbe } from "./grpc-probe.ts";
import { httpProbe } from "./http-probe.ts";
import { resolvePort } from "./resolve-port.ts";
import { tcpProbe } from "./tcp-probe.ts";
import type { Prober, ProbeResult } from "./types.ts";

/** The prober that really asks: by command, HTTP, TCP or gRPC. */
export function createProber({
  clock,
  runtime,
}: {
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
}): Prober {
  return {
    async probe({ exec, httpGet, tcpSocket, grpc }, { instanceId, container, podAddress }, options) {
      using deadline = clock.deadline(options.timeoutMs, options.signal);
      const { signal } = deadline;
      try {
        if (exec !== undefined) {
          const command = exec.command ?? [];
          return execProbe(await runInContainer({ clock, runtime, signal }, instanceId, command));
        }
        if (httpGet !== undefined)
          return await clock.track(httpProbe(httpGet, container, { podAddress, signal }));
        if (tcpSocket !== undefined) {
          const port = resolvePort(tcpSocket.port, container);
          const host = tcpSocket.host === undefined || tcpSocket.host === "" ? podAddress : tcpSocket.host;
          return await clock.track(tcpProbe(host, port, signal));
        }
        if (grpc !== undefined) return await clock.track(grpcProbe(podAddress, grpc, signal));
        return { outcome: "failure", output: "the probe says nothing of how to ask" };
      } catch (error) {
        const late = signal.aborted && !options.signal.aborted;
        return {
          outcome: "failure",
          output: late ? `timed out after ${options.timeoutMs / 1000}s` : messageOf(error),
        };
      }
    },
  };
}

function execProbe({
  exitCode,
  output,
}: {
  readonly exitCode: number;
  readonly output: string;
}): ProbeResult {
  return { outcome: exitCode === 0 ? "success" : "failure", output };
}
