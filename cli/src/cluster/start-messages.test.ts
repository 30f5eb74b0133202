import { expect, it } from "vitest";
import { startAnswer, startRequest } from "./start-messages.ts";

it.each([
  { type: "launch", role: "server" },
  { type: "launch", role: "node/one" },
  { type: "launch", role: "nodes" },
  { type: "launch", role: "node/two", namespace: "/run/netns/two" },
])("reads the request %o", (message) => {
  expect(startRequest({ ...message, more: 1 })).toEqual(message);
});

it.each([
  { type: "launched", role: "operator" },
  { type: "part-progress", role: "node/one", what: "reading" },
  { type: "not-launched", role: "server", why: "it ended" },
])("reads the answer %o", (message) => {
  expect(startAnswer({ ...message, more: 1 })).toEqual(message);
});

it.each([
  undefined,
  null,
  "launch",
  {},
  { type: "launch" },
  { type: "launch", role: "stranger" },
  { type: "beat" },
])("takes %o for nothing", (message) => {
  expect([startRequest(message), startAnswer(message)]).toEqual([undefined, undefined]);
});
