import { describe, expect, test } from "vitest";
import { logPath, readLogLines, type LogOptions } from "./logs.ts";

describe("logPath", () => {
  const table: { options: LogOptions; query: string }[] = [
    { options: {}, query: "" },
    { options: { container: "web", follow: true }, query: "?container=web&follow=true" },
    { options: { previous: true, timestamps: true }, query: "?previous=true&timestamps=true" },
    {
      options: { sinceSeconds: 60, tailLines: 0, limitBytes: 10 },
      query: "?sinceSeconds=60&tailLines=0&limitBytes=10",
    },
    {
      options: { sinceTime: "2026-01-01T00:00:00+01:00" },
      query: "?sinceTime=2026-01-01T00%3A00%3A00%2B01%3A00",
    },
    {
      options: { stream: "Stderr", insecureSkipTLSVerifyBackend: true },
      query: "?stream=Stderr&insecureSkipTLSVerifyBackend=true",
    },
  ];
  test.each(table)("$query", ({ options, query }) => {
    expect(logPath("/api/v1/namespaces/n/pods/p/log", options)).toBe(
      `/api/v1/namespaces/n/pods/p/log${query}`,
    );
  });
});

test("a log line over 1 MiB comes in pieces instead of failing", async () => {
  const lengths: number[] = [];
  for await (const line of readLogLines(longLine())) lengths.push(line.length);
  expect(lengths).toEqual([1024 * 1024, 10, 2]);
});

async function* longLine(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(1024 * 1024, "x");
  yield Buffer.from(`${"y".repeat(10)}\nok`);
}
