// An account on the reading page, with the reader's follows that follow it.

import { element } from './dom.ts'
import { type Author, face, nameOf, personLink } from './read-post.ts'

export type Profile = Author & {
  description?: string
  followersCount?: number
  followsCount?: number
  postsCount?: number
  viewer?: {
    following?: string
    followedBy?: string
    knownFollowers?: { count: number; followers: Author[] }
  }
}

/** @param readAll - fetches all known followers and passes them on. */
export function profileCard(
  profile: Profile,
  heading: HTMLElement,
  readAll: (show: (followers: Author[]) => void) => void,
): HTMLElement {
  const { description, viewer = {} } = profile
  const ties = [
    viewer.following !== undefined && 'followed by this reader',
    viewer.followedBy !== undefined && 'follows this reader',
  ].filter((tie) => tie !== false)
  return element(
    'section',
    { class: 'profile', 'aria-label': 'Profile' },
    element('div', { class: 'post-head' }, face(profile), heading),
    element('p', {}, `@${profile.handle}${ties.length > 0 ? ` · ${ties.join(', ')}` : ''}`),
    description !== undefined && element('p', { class: 'text', dir: 'auto' }, description),
    element('p', { class: 'tally' }, countsOf(profile)),
    proofOf(viewer.knownFollowers, readAll),
  )
}

function countsOf({ postsCount, followersCount, followsCount }: Profile): string {
  return [
    followersCount !== undefined && `${followersCount} followers`,
    followsCount !== undefined && `${followsCount} following`,
    postsCount !== undefined && `${postsCount} posts`,
  ]
    .filter((value) => value !== false)
    .join(' · ')
}

function proofOf(
  known: NonNullable<Profile['viewer']>['knownFollowers'],
  readAll: (show: (followers: Author[]) => void) => void,
): HTMLElement | undefined {
  if (!known || known.count === 0) return undefined
  const names = known.followers.slice(0, 3).map(nameOf)
  const others = known.count - names.length
  const words = `Followed by ${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}, whom this reader follows`
  const position = element('ul', { class: 'people' })
  const button = element('button', { type: 'button', class: 'quiet' }, 'Show all')
  button.addEventListener('click', () =>
    readAll((followers) => {
      button.remove()
      position.replaceChildren(
        ...followers.map((follower) =>
          element('li', { class: 'post-head' }, face(follower), personLink(follower)),
        ),
      )
    }),
  )
  return element('div', { class: 'proof-words' }, element('p', {}, words), button, position)
}
