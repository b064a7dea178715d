import { ApiError } from "../errors.ts";

/** The part of a request's address that says what is asked for. `search` is empty, or begins with a question mark. */
export type Address = { readonly pathname: string; readonly search: string };

/** A request as the API looks at it, whatever brought it. */
export interface Asked {
  readonly method: string;
  /** Undefined where there is none to be read. It is read once. @throws TypeError where somebody else has read it */
  readonly body: AsyncIterable<Uint8Array> | undefined;
  /** @throws ApiError `400 bad_request` where it cannot be read */
  address(): Address;
  /** By its name in lower case; several of that name come as one, with commas. */
  header(name: string): string | null;
  /** The same as hosts know it. */
  request(): Request;
}

/** A Request; a body beside it stands for its own. */
export function askedBy(request: Request, body: AsyncIterable<Uint8Array> | undefined): Asked {
  return {
    method: request.method,
    get body() {
      if (body === undefined && request.bodyUsed) throw readBefore();
      return body ?? request.body ?? undefined;
    },
    address: () => addressIn(request.url),
    header: (name) => request.headers.get(name),
    request: () => request,
  };
}

/** Requests of node:http have addresses that no other could have: hosts that are none, and users in them. */
export function addressIn(url: string): Address {
  const address = URL.parse(url);
  if (address !== null && address.username === "" && address.password === "") return address;
  throw unreadable();
}

/** A fault of the host's: taken for a request without a body, it would do something else than was asked for. */
export function readBefore(): TypeError {
  return new TypeError("The request's body was read before it came to the CRM. Hand the request over unread.");
}

export function unreadable(): ApiError {
  return new ApiError("bad_request", "The request's address cannot be read.");
}
