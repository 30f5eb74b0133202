import {
  ArgumentScannerError,
  formatMessageForArgumentScannerError,
  text_en,
  type ApplicationText,
} from "@stricli/core";

/** What the command line says when something is wrong: the problem, and the command that helps. */
export const text: ApplicationText = {
  ...text_en,
  briefs: { ...text_en.briefs, argumentEscapeSequence: "All that follows are arguments, none is a flag" },
  noCommandRegisteredForInput: ({ input, corrections }) =>
    `kedge: unknown command \`${input}\`.${didYouMean(corrections)} \`kedge --help\` lists all commands.`,
  exceptionWhileParsingArguments: (problem) =>
    `kedge: ${sentence(argumentProblem(problem))} See \`--help\` of the command.`,
  exceptionWhileRunningCommand: (problem) => `kedge: ${messageOf(problem)}`,
  commandErrorResult: (problem) => `kedge: ${messageOf(problem)}`,
};

function didYouMean(corrections: readonly string[]): string {
  return corrections.length === 0 ? "" : ` Did you mean ${corrections.join(" or ")}?`;
}

function argumentProblem(problem: unknown): string {
  if (!(problem instanceof ArgumentScannerError)) return messageOf(problem);
  const said = formatMessageForArgumentScannerError(problem, {
    ArgumentParseError: ({ exception }) => messageOf(exception),
  });
  return said.charAt(0).toLowerCase() + said.slice(1);
}

function sentence(said: string): string {
  return /[.?!]$/u.test(said) ? said : `${said}.`;
}

/** What is wrong, in words; errors of ours may say what to do. */
export function messageOf(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  const hint = "hint" in problem && typeof problem.hint === "string" ? `\n${problem.hint}` : "";
  return `${problem.message}${hint}`;
}
