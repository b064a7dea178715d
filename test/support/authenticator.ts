import { generateKeyPairSync, hash, sign } from "node:crypto";

/** The members of the options of `navigator.credentials` that an authenticator uses. */
export type CreateOptions = {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
};
export type GetOptions = { readonly challenge: string; readonly rpId: string };

/** Members of a response that are different. */
type Changes = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
};

const encode = (data: string | Uint8Array): string => Buffer.from(data).toString("base64url");

/** One ES256 passkey, and the browser that uses it. */
export class Authenticator {
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #origin: string;
  readonly id: string;
  /** 0 if the authenticator doesn't count. */
  counter = 0;
  userHandle = "";

  constructor(origin: string, id = "passkey") {
    this.#origin = origin;
    this.id = encode(id);
  }

  /** Responds as `navigator.credentials.create()` does, as JSON. */
  create({ challenge, rp, user }: CreateOptions, changes: Changes = {}) {
    this.userHandle = user.id;
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    // The COSE key in CBOR: kty EC2, alg ES256, crv P-256, x and y.
    const start = Buffer.from("a5010203262001215820", "hex");
    const key = [start, Buffer.from(x, "base64url"), Buffer.from("225820", "hex"), Buffer.from(y, "base64url")];
    const id = Buffer.from(this.id, "base64url");
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, ...key]);
    return {
      id: this.id,
      clientDataJSON: encode(this.#clientData(challenge, { type: "webauthn.create", ...changes })),
      authenticatorData: encode(this.#data(rp.id, attested, changes)),
    };
  }

  /** Responds as `navigator.credentials.get()` does, as JSON. */
  get({ challenge, rpId }: GetOptions, changes: Changes = {}) {
    const clientData = this.#clientData(challenge, { type: "webauthn.get", ...changes });
    const data = this.#data(rpId, Buffer.alloc(0), changes);
    const signed = Buffer.concat([data, hash("sha256", clientData, "buffer")]);
    return {
      id: this.id,
      clientDataJSON: encode(clientData),
      authenticatorData: encode(data),
      signature: encode(sign("sha256", signed, this.#keys.privateKey)),
      userHandle: changes.userHandle ?? this.userHandle,
    };
  }

  #clientData(challenge: string, { origin = this.#origin, ...changes }: Changes): string {
    return JSON.stringify({ challenge, crossOrigin: false, origin, ...changes });
  }

  #data(
    rpId: string,
    attested: Uint8Array,
    { isVerified = true, counter = this.counter, ...changes }: Changes,
  ): Buffer {
    const flags = 1 + (isVerified ? 4 : 0) + (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([hash("sha256", changes.rpId ?? rpId, "buffer"), Buffer.from([flags]), count, attested]);
  }
}
