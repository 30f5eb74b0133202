/**
 * Why a container could not be made, from what conmon and runc said. The same failure has the same words each time: they
 * become events, and equal events are one.
 */
export function failureReason(message: string): string {
  const lines = message.trim().split("\n");
  const last = lines.findLast((line) => line.trim() !== "") ?? "";
  const quoted = /msg="(.*)"$/u.exec(last)?.[1];
  const text = quoted === undefined ? last : quoted.replaceAll(String.raw`\"`, '"');
  if (text === "") return "conmon could not make it and said nothing";
  const limit = /unable to set memory limit to (\d+)/u.exec(text)?.[1];
  if (limit === undefined) return text;
  return `runc create failed: a memory limit of ${limit} bytes is less than it takes to start a container`;
}
