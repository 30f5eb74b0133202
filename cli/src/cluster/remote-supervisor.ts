import type { Role } from "./launch-part.ts";
import { startAnswer, type StartRequest } from "./start-messages.ts";
import type { Supervisor } from "./supervisor.ts";

/** The supervisor that started this process, as far as a start needs it. */
export function remoteSupervisor(): Pick<Supervisor, "start"> {
  return {
    async start(role: Role, { onProgress, namespace } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const listen = (value: unknown): void => {
        const answer = startAnswer(value);
        if (answer?.role !== role) return;
        if (answer.type === "part-progress") onProgress?.(answer.what);
        if (answer.type === "launched") resolve();
        if (answer.type === "not-launched") reject(new Error(answer.why));
      };
      process.on("message", listen);
      try {
        process.send?.({ type: "launch", role, namespace } satisfies StartRequest);
        await promise;
      } finally {
        process.off("message", listen);
      }
    },
  };
}
