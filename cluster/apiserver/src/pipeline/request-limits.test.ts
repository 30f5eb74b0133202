import { statusOf, VirtualClock, type ApiResponse } from "@kedge/machinery";
import { expect, it } from "vitest";
import { bootstrapped } from "../flow-control/testing/flows.ts";
import { textResponse } from "../response/responses.ts";
import { isLongRunning, RequestLimits } from "./request-limits.ts";
import { targetOf } from "../request/target.ts";

function limited() {
  const clock = new VirtualClock();
  const limits = new RequestLimits(bootstrapped(clock), clock);
  const ask = async (query: string, ms: number): Promise<number> => {
    const serve = async (): Promise<ApiResponse> => {
      await clock.sleep(ms);
      return textResponse(200, "ok");
    };
    const late = async (error: Error): Promise<ApiResponse> =>
      textResponse(statusOf(error).code ?? 0, statusOf(error).message ?? "");
    return (await limits.inTime(new URLSearchParams(query), serve, late)).status;
  };
  return { clock, ask };
}

it.each([
  ["", 59_000, 200],
  ["", 61_000, 504],
  ["timeout=2s", 1900, 200],
  ["timeout=2s", 2100, 504],
  ["timeout=0s", 59_000, 200],
  ["timeout=5m", 61_000, 504],
])("with %j an answer that takes %i ms is a %i", async (query, ms, expected) => {
  const { clock, ask } = limited();
  expect(await clock.runUntil(ask(query, ms))).toBe(expected);
});

it("refuses a timeout that is none", async () => {
  const { ask } = limited();
  await expect(ask("timeout=soon", 0)).rejects.toThrow(/^invalid timeout specified in the request URL - /u);
});

it.each([
  ["/api/v1/pods", "watch=true", true],
  ["/api/v1/namespaces/a/pods/b/log", "", true],
  ["/api/v1/pods", "", false],
  ["/healthz", "", false],
])("%s?%s goes on for long: %j", (path, query, expected) => {
  expect(isLongRunning(targetOf("GET", path, new URLSearchParams(query)))).toBe(expected);
});
