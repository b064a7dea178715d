import type { TransferRequest } from "crm-integrations/transfer";
import { call } from "../api.ts";

/** Sends the requests of imports and exports. */
export const request: TransferRequest = async (method, path, options) => {
  return { body: await call(method, `api/v1${path}`, options) };
};
