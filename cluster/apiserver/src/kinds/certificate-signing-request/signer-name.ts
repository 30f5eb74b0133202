import {
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  validateDns1123Label,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";

const longestDomain = 253;
const longest = 571;

/** What is wrong with the name of a signer: `example.com/signer-name`. */
export function validateSignerName(name: string, path: FieldPath): FieldError[] {
  if (name === "") return [fieldRequired(path)];
  const [domain = "", signer = "", ...more] = name.split("/");
  if (!name.includes("/") || more.length > 0)
    return [
      fieldInvalid(
        path,
        name,
        "must be a fully qualified domain and path of the form 'example.com/signer-name'",
      ),
    ];
  const labels = domain.split(".");
  return [
    ...(domain.length > longestDomain ? [fieldTooLong(path, longestDomain)] : []),
    ...firstFault(labels, validateDns1123Label).map((fault) => fieldInvalid(path, domain, fault)),
    ...(labels.length < 2
      ? [fieldInvalid(path, domain, "should be a domain with at least two segments separated by dots")]
      : []),
    ...firstFault(signer.split("."), validateDns1123Subdomain).map((fault) =>
      fieldInvalid(path, signer, fault),
    ),
    ...(name.length > longest ? [fieldTooLong(path, longest)] : []),
  ];
}

function firstFault(
  labels: readonly string[],
  rule: (label: string) => readonly string[],
): readonly string[] {
  const wrong = labels.find((label) => rule(label).length > 0);
  if (wrong === undefined) return [];
  return rule(wrong).map((fault) => `validating label ${JSON.stringify(wrong)}: ${fault}`);
}
