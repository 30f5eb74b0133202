import { CodedError } from "@kedge/machinery";

const hints = {
  INVALID_NAME: "Write the image as repository:tag, for example redis:7.0.",
  NOT_FOUND:
    "Use an image that Kedge can bring, import an archive of it, or map its name to one of them (aliases).",
  FAILED: "See the cause; an image that was brought once is used offline afterwards.",
} as const;

/** What can go wrong with images. */
export type ImageErrorCode = keyof typeof hints;

/** The one error of images: a code to branch on, and a hint of what to do. */
export class ImageError extends CodedError<ImageErrorCode> {
  override readonly name = "ImageError";

  constructor(code: ImageErrorCode, message: string, options: ErrorOptions = {}) {
    super(code, message, { ...options, hint: hints[code] });
  }
}
