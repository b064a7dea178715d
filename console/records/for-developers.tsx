import { publicUrl } from "../api.ts";
import { texts } from "../texts.ts";
import type { CrmRecord } from "./record-columns.tsx";

const text = texts.records;

type ForDevelopersProps = {
  /** The path of the record below the API, such as `accounts/ID`. */
  readonly path: string;
  readonly record: CrmRecord;
};

/** The ID of a record, a request that reads it, and its JSON, for developers. */
export function ForDevelopers({ path, record }: ForDevelopersProps) {
  const { tenantId: _, ...shown } = record;
  const command = `curl -sS "${publicUrl(path)}" -H "x-api-key: ${text.yourKey}"`;
  return (
    <details class="card developers">
      <summary>{text.forDevelopers}</summary>
      <p>
        <code>{record.id}</code>
      </p>
      <pre>{command}</pre>
      <pre>{JSON.stringify(shown, null, 2)}</pre>
    </details>
  );
}
