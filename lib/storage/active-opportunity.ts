/** An open opportunity with the names of the records that it references. */
export type ActiveOpportunity = {
  readonly id: string;
  readonly name: string;
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly stageId: string;
  readonly stageName: string;
  readonly status: string;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly ownerId: string | null;
  readonly expectedCloseDate: string | null;
  readonly updatedAt: number;
};

/** A contact with its open opportunities. `emailKey` is the normalized email address. */
export type ContactOpportunities = {
  readonly emailKey: string;
  readonly contactId: string;
  readonly opportunities: readonly ActiveOpportunity[];
};
