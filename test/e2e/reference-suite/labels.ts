// The tests' labeler is did:example:labeler, whom nobody can resolve: a real labeler with a did:web says its labels,
// and the proxy exchanges the names in requests and answers.

import { startWebLabeler } from '../conformance/web-labeler.ts'

export type ExampleLabeler = Awaited<ReturnType<typeof startWebLabeler>>

let did = ''

export const EXAMPLE = 'did:example:labeler'

export function LABELER_STAND_IN(): string {
  return did
}

export async function startExampleLabeler(): Promise<ExampleLabeler> {
  const labeler = await startWebLabeler()
  did = labeler.did
  return labeler
}
