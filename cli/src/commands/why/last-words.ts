import type { Client } from "@kedge/client";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { LogOfContainer } from "./cause.ts";
import { oneLine } from "./situation.ts";

/** The last lines of a container's log; none, when they cannot be had. */
export async function lastWords(
  client: Client,
  { namespace, pod, container, previous }: LogOfContainer,
): Promise<readonly string[]> {
  const options = { container, previous, tailLines: 3, limitBytes: 16_384, timeout: 5000 };
  try {
    const lines: string[] = [];
    for await (const line of client.of(Pod).log.lines({ namespace, name: pod }, options)) lines.push(line);
    return lines.map((line) => oneLine(line, 200)).filter((line) => line !== "");
  } catch {
    return [];
  }
}
