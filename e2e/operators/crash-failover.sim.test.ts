import { describe } from "vitest";
import { testStories } from "./testing/test-stories.ts";

describe("an operator that is killed before, at and after each write and each command comes to a good end", () => {
  testStories({});
  testStories({ seed: 2 });
});
