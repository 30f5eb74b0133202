import { describe } from "vitest";
import { describeStore } from "../testing/conformance.ts";
import { createMemoryStore } from "./memory-store.ts";

describe("the store in memory", () => {
  describeStore(async (clock) => createMemoryStore({ clock }));
});
