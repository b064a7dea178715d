import type { CallError } from "../api.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import type { Resource } from "./resource.ts";

export function isConflict(error: CallError | undefined): error is CallError {
  return error?.status === 409 || error?.status === 412;
}

type ConflictNoticeProps = {
  readonly error: CallError;
  readonly resource: Resource;
  /** The record that couldn't be changed. */
  readonly id?: string | undefined;
  onReload?(): void;
};

/** Explains a conflict, with a button or a link that helps to resolve it. */
export function ConflictNotice({ error, resource, id, onReload }: ConflictNoticeProps) {
  const { reason, existingId } = error.details;
  if (reason === "stale")
    return (
      <ErrorNotice error={error} focus>
        <p>{texts.setUp.stale}</p>
        {onReload && (
          <button type="button" onClick={onReload}>
            {texts.setUp.reload}
          </button>
        )}
      </ErrorNotice>
    );
  const filter = resource.name === "stages" ? "stageId" : "pipelineId";
  return (
    <ErrorNotice error={error} focus>
      {reason === "in_use" && id !== undefined && (
        <p>
          <a href={href(["opportunities"], { [filter]: id, status: "open" })}>{texts.setUp.openOpportunities}</a>
        </p>
      )}
      {typeof existingId === "string" && (
        <p>
          <a href={href([...resource.route, existingId])}>{texts.setUp.existing}</a>
        </p>
      )}
    </ErrorNotice>
  );
}
