export type HeaderFields = Readonly<Record<string, string>>;

/** A failure as the client gets it: a status, a message and perhaps headers. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: HeaderFields;

  constructor(status: number, message: string, headers: HeaderFields = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = "HttpError";
    this.status = status;
    this.headers = headers;
  }
}

export const jsonType = { "Content-Type": "application/json; charset=utf-8" };

/** The body of every error. */
export const errorText = ({ status, message }: HttpError): string => JSON.stringify({ status, msg: message });
