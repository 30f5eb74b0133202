import { fieldErrorBody, fieldInvalid, seededRandom } from "@kedge/machinery";
import { distinct } from "../generate/choose.ts";
import { anyName } from "../generate/name.ts";
import { topic } from "../topic.ts";
import { rules, type RuleName } from "./name-rules.ts";

interface Input {
  readonly rule: RuleName;
  readonly name: string;
}

/** Which names are accepted, and what is said of the others. */
export const names = topic<Input, readonly string[], null>({
  name: "names",
  inputs: (seed) => {
    const random = seededRandom(`${seed}names`);
    const ruleNames = Object.keys(rules) as RuleName[];
    return ruleNames.flatMap((rule) => distinct(45, () => ({ rule, name: anyName(random) })));
  },
  titleOf: ({ rule, name }) => `${rule} ${JSON.stringify(name)}`,
  prepare: () => Promise.resolve(null),
  ask: async ({ server, namespace }, { rule, name }) => {
    const { path, body, field } = rules[rule];
    const answer = await server.ask({
      method: "POST",
      path: path.replace("NAMESPACE", namespace),
      query: { dryRun: "All" },
      body: body(name),
    });
    if (answer.status < 300) return [];
    const { causes = [] } = (answer.body["details"] ?? {}) as {
      causes?: { field: string; message: string }[];
    };
    // What else is wrong because of the name, elsewhere in the object, is not asked.
    const own = causes.filter((cause) => cause.field === field(name)).map(({ message }) => message);
    return own.length > 0 ? own : [`${answer.status}: ${JSON.stringify(answer.body["message"])}`];
  },
  ours: ({ input: { rule, name } }) => {
    const { field, validate } = rules[rule];
    return validate(name).map((fault) => fieldErrorBody(fieldInvalid(field(name), name, fault)));
  },
});
