import { describe, expect, it } from "vitest";
import { serverOf } from "./image-server.ts";
import { liveChange, settingLines } from "./live-change.ts";
import { redisConfig } from "./redis-config.ts";

const conf = (config: Record<string, string>): string => redisConfig({ config, authEnabled: true });

const change = (
  from: Record<string, string>,
  to: Record<string, string>,
  { image = "redis:7.0", touched = [] as readonly string[] } = {},
) => {
  const settings = liveChange({ from: conf(from), to: conf(to), touched }, serverOf(image));
  return settings === undefined ? "start" : Object.fromEntries(settings);
};

describe("a change of the config", () => {
  it.each([
    ["nothing", {}, {}, {}],
    ["a value", { hz: "10" }, { hz: "50" }, { hz: "50" }],
    ["one that is new", {}, { maxmemory: "1gb" }, { maxmemory: "1gb" }],
    ["one that is gone", { maxmemory: "1gb" }, {}, { maxmemory: "0" }],
    ["one of our defaults", { appendfsync: "always" }, {}, { appendfsync: "everysec" }],
    ["quotes", {}, { "proc-title-template": '"{title} x"' }, { "proc-title-template": "{title} x" }],
    ["nothing at all", {}, { save: "" }, { save: "" }],
    ["several words", {}, { save: "900 1" }, { save: "900 1" }],
    ["a list that is gone", { save: "1 1" }, {}, { save: "3600 1 300 100 60 10000" }],
  ])("is set live: %s", (_what, from, to, settings) => {
    expect(change(from, to)).toEqual(settings);
  });

  it.each([
    ["what only a start reads", { databases: "32" }, {}],
    ["with something that could be live", { databases: "32", hz: "50" }, {}],
    ["which file has the data", { appendonly: "no" }, {}],
    ["where the version is not known", { hz: "50" }, { image: "redis:latest" }],
    ["where the version is between two that are", { hz: "50" }, { image: "redis:7.2" }],
    ["what one version can and another cannot", { "io-threads": "2" }, { image: "valkey:8.1" }],
    ["a command of the file", { "rename-command": 'FLUSHALL ""' }, {}],
  ])("needs a start: %s", (_what, to, options) => {
    expect(change({}, to, options)).toBe("start");
  });

  it("is live where the version can", () => {
    expect(change({}, { "io-threads": "2" }, { image: "valkey:9.1" })).toEqual({ "io-threads": "2" });
  });

  it("takes back what was set since the start", () => {
    expect(change({ hz: "20" }, { hz: "20" }, { touched: ["hz", "maxmemory"] })).toEqual({
      hz: "20",
      maxmemory: "0",
    });
  });
});

it("is written as lines that mean the same to a server that starts", () => {
  const settings = new Map([
    ["client-output-buffer-limit", "normal 0 0 0"],
    ["hz", "50"],
    ["proc-title-template", '{title} "x"'],
    ["save", ""],
  ]);
  expect(settingLines(settings)).toBe(
    'client-output-buffer-limit normal 0 0 0\nhz "50"\nproc-title-template "{title} \\"x\\""\nsave ""\n',
  );
});
