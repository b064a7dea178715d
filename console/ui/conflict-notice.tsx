import type { CrmError } from "crm-integrations/client";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { ErrorNotice } from "./notice.tsx";

export function isConflict(error: CrmError | undefined): error is CrmError {
  return error?.status === 409 || error?.status === 412;
}

/** Where a conflict leads. */
export type ConflictLinks = {
  /** The path of the records of this kind. */
  readonly route: readonly string[];
  /** The query of the opportunities that use the record. */
  readonly users?: Readonly<Record<string, string>> | undefined;
};

type ConflictNoticeProps = ConflictLinks & { readonly error: CrmError; onReload?: (() => void) | undefined };

/** Explains a conflict, with a button or a link that helps to resolve it. */
export function ConflictNotice({ error, route, users, onReload }: ConflictNoticeProps) {
  const { reason, existingId } = error.details;
  return (
    <ErrorNotice error={error} focus>
      {reason === "stale" && onReload && (
        <button type="button" onClick={onReload}>
          {texts.form.reload}
        </button>
      )}
      {reason === "in_use" && users !== undefined && (
        <p>
          <a href={href(["opportunities"], { ...users, status: "open" })}>{texts.setUp.openOpportunities}</a>
        </p>
      )}
      {typeof existingId === "string" && (
        <p>
          {/* In another tab, because the form has changes that aren't saved. */}
          <a href={href([...route, existingId])} target="_blank" rel="noopener">
            {texts.setUp.existing}
          </a>
        </p>
      )}
    </ErrorNotice>
  );
}
