import { describe, expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const headers = { "content-type": "application/apply-patch+yaml" };

/** What several managers apply at the same time, of an object that is not there. */
function bodyOf(key: string, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, data: { [key]: "1" } };
}

describe("apply by two at once of what is not there", () => {
  it("is a create and a change: nobody is told that it exists", async () => {
    await using server = await startServer();
    const managers = ["one", "two", "three"];
    const answers = await Promise.all(
      managers.map((name) =>
        server.ask("PATCH", `${maps}/a?fieldManager=${name}`, bodyOf(name), { headers }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 201]);
    const { body } = await server.ask("GET", `${maps}/a`);
    expect(Object.keys(body["data"] as object).toSorted()).toEqual(managers.toSorted());
  });

  it("is made by one alone when each asks for a version that nothing has", async () => {
    await using server = await startServer();
    const answers = await Promise.all(
      ["one", "two"].map((name) =>
        server.ask(
          "PATCH",
          `${maps}/a?fieldManager=${name}&force=true`,
          bodyOf(name, { resourceVersion: "1" }),
          {
            headers,
          },
        ),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    const { body } = await server.ask("GET", `${maps}/a`);
    expect(Object.keys(body["data"] as object)).toHaveLength(1);
  });
});
