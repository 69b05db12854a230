// Possible subjects of a notification: collections of the recipient's records, and their small numbers on
// disk. Append only. Not all of them are indexed.

export const subjectCodes = {
  'app.bsky.feed.post': 1,
  'app.bsky.feed.repost': 2,
  'app.bsky.graph.starterpack': 3,
  'app.bsky.feed.generator': 4,
  'app.bsky.labeler.service': 5,
} as const

export type SubjectCollection = keyof typeof subjectCodes

const byCode = new Map(Object.entries(subjectCodes).map(([name, code]) => [code as number, name]))

export function subjectCollectionOf(code: number): string | undefined {
  return byCode.get(code)
}
