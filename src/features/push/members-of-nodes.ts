// Members whose private state nodes share: before one is pushed to, this node takes in what they changed on another.

export type MembersOfNodes = {
  /** Never rejects, and takes at most a moment. */
  upToDate(did: string): Promise<unknown>
}

/** @param sharedByNodes - what a feature shares of others, by their names */
export function membersOfNodes(
  sharedByNodes: Readonly<Record<string, unknown>>,
): MembersOfNodes | undefined {
  return sharedByNodes['push'] as MembersOfNodes | undefined
}
