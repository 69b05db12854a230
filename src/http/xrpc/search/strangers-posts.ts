// Searches for one account's posts, where no member follows it: none of them are stored, and an empty answer would
// read like a fact. Its newest posts are fetched first, as for its page (strangers-pages.ts).

import { andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import type { NamedActor } from '../naming/actor-names.ts'
import { onlyAuthor, type PostSearchParams } from './post-search.ts'

type Dependencies = Needs<'actors' | 'names' | 'strangersPages' | 'underWay' | 'waits'>

/** Steps of a search; `ready` resolves once those posts are here, can't be had, or time is up. */
export function awaitingAuthor<Params extends { cursor?: string }>(
  paramsOf: (params: Params) => PostSearchParams,
) {
  type SearchCall = Call<Params>
  const find = ({ names }: Needs<'names'>, call: SearchCall) => {
    const name = onlyAuthor(paramsOf(call.params))
    return name === undefined ? undefined : names.find(name, call)
  }
  return {
    ready(app: Dependencies, call: SearchCall): Promise<void> | undefined {
      if (!call.viewer || call.params.cursor !== undefined) return undefined
      const later = andThen(find(app, call), (author) =>
        author && app.strangersPages.isFetched(author)
          ? searchable(app, author, { viewer: call.viewer!, signal: call.signal })
          : undefined,
      )
      return later instanceof Promise ? later : undefined
    },

    /** Whether it says nothing that there are none. */
    isUnknown(app: Dependencies, call: SearchCall): MaybeLater<boolean> {
      return andThen(find(app, call), (author) => {
        if (!author || !app.strangersPages.isFetched(author)) return false
        if (author.uid === 0) call.reader.missing.add({ dids: [author.did] })
        const { underWay } = app
        return (
          author.uid !== 0 && !(underWay.isPageRead(author.uid) && underWay.isIndexed(author.uid))
        )
      })
    },
  }
}

/** Resolves once the account's newest posts are here and their words indexed, or time is up. */
async function searchable(
  { actors, strangersPages, underWay, waits }: Dependencies,
  author: NamedActor,
  request: { viewer: { uid: number; did: string }; signal: AbortSignal },
): Promise<void> {
  await strangersPages.awaited(author, request)
  const isThere = () => underWay.isIndexed(actors.uidOf(author.did))
  const { signal } = request
  await waits.awaited([`words of ${author.did}`], { isThere, isShared: true, signal })
}
