import { byId, element, shortName, table } from './dom.ts'
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

/** Fills `position`, or empties it if there is no answer. */
export async function showNewcomers(position: HTMLElement): Promise<void> {
  try {
    const { newcomers } = await askAsOperator<{ newcomers: Newcomer[] }>('newcomers')
    position.replaceChildren(newcomers.length > 0 ? table(HEADS, newcomers.map(row)) : '')
  } catch {
    position.replaceChildren()
  }
}

type Member = { did: string; handle: string; name: string }

/** Fills the suggestions of the fields that ask for a reader. */
export async function suggestMembers(): Promise<void> {
  const { members } = await askAsOperator<{ members: Member[] }>('members')
  byId('readers').replaceChildren(...members.map(suggestion))
}

/** By its DID if its handle is not valid. */
function suggestion({ did, handle, name }: Member): HTMLOptionElement {
  const value = handle === 'handle.invalid' ? did : handle
  return element('option', { value, label: name === '' ? undefined : `${name} (${value})` })
}

function row({ did, handle, stage, complete, items, itemsWanted, mirror }: Newcomer): string[] {
  return [
    shortName({ did, handle }),
    mirror ? `${STAGES[stage]} from ${new URL(mirror).host}: their PDS is away` : STAGES[stage],
    `${items} of ${itemsWanted}`,
    `${complete.done} of ${complete.total}`,
  ]
}
