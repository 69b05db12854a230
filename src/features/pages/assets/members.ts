import { shortName, table } from './dom.ts'
import { askAsOperator } from './operator.ts'

type Newcomer = {
  did: string
  handle: string
  stage: 'follows' | 'recent' | 'older' | 'rest' | 'done'
  complete: { done: number; total: number }
  items: number
  itemsWanted: number
  mirror?: string
}

const STAGES: Record<Newcomer['stage'], string> = {
  follows: 'reading their follows',
  recent: 'fetching recent posts',
  older: 'fetching older posts',
  rest: 'fetching profiles and lists',
  done: 'done',
}

const HEADS = ['Member', 'Now', 'Posts in the timeline', 'Follows fetched']

/** Fills `place`, or empties it if there is no answer. */
export async function showNewcomers(place: HTMLElement): Promise<void> {
  try {
    const { newcomers } = await askAsOperator<{ newcomers: Newcomer[] }>('newcomers')
    place.replaceChildren(newcomers.length > 0 ? table(HEADS, newcomers.map(row)) : '')
  } catch {
    place.replaceChildren()
  }
}

function row({ did, handle, stage, complete, items, itemsWanted, mirror }: Newcomer): string[] {
  return [
    shortName({ did, handle }),
    mirror ? `${STAGES[stage]} from ${new URL(mirror).host}: their PDS is away` : STAGES[stage],
    `${items} of ${itemsWanted}`,
    `${complete.done} of ${complete.total}`,
  ]
}
