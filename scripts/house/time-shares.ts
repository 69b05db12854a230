import type { Profiler, Session } from 'node:inspector/promises'

const INTERVAL_US = 200

/**
 * The share of the samples (0 to 1) in each file below the tree. What a file calls outside of `src`, such as a
 * statement of SQLite, counts as its own.
 *
 * @param src - the URL of the sources, with a slash at its end
 */
export async function sharesOf(
  session: Session,
  src: string,
  work: () => unknown,
): Promise<Map<string, number>> {
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
  await session.post('Profiler.start')
  await work()
  const { profile } = await session.post('Profiler.stop')
  const fileOfNode = filesOf(profile, src)
  const files = (profile.samples ?? [])
    .map((id) => fileOfNode.get(id))
    .filter((file) => file !== undefined)
  const counts = new Map<string, number>()
  for (const file of files) counts.set(file, (counts.get(file) ?? 0) + 1)
  return new Map([...counts].map(([file, count]) => [file, count / files.length]))
}

/** The path below the tree of one of its sources, or of a package of ours. */
export function fileOf(url: string, src: string): string | undefined {
  if (url.startsWith(src)) return `src/${url.slice(src.length)}`
  return /\/(packages\/[\w-]+\/src\/.+)$/.exec(url)?.[1]
}

/** The file of each node, or of the nearest of its callers that has one. */
function filesOf({ nodes }: Profiler.Profile, src: string): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const found = new Map<number, string>()
  const visit = (id: number, above: string | undefined): void => {
    const { callFrame, children = [] } = byId.get(id)!
    const { url } = callFrame
    const file = fileOf(url, src) ?? above
    if (file) found.set(id, file)
    for (const child of children) visit(child, file)
  }
  if (nodes[0]) visit(nodes[0].id, undefined)
  return found
}
