import { pagedMethod } from '../../../paging/paged-method.ts'
import { notBlocked, profiles } from '../../../paging/present.ts'
import { echoed, isUnheld, NOTHING, namedSubject } from '../../../posts/engagement-method.ts'

export const getRepostedBy = pagedMethod(
  'app.bsky.feed.getRepostedBy',
  { auth: 'optional' },
  {
    about: namedSubject,
    skeleton: ({ engagement }, { about: { id }, range }) =>
      id === 0 ? NOTHING : engagement.reposters({ post: id, ...range }),
    present: profiles({ filter: notBlocked }),
    halfIsEnough: true,
    isUnknown: isUnheld,
    body: (repostedBy, { call, cursor }) => ({ ...echoed(call), repostedBy, cursor }),
  },
)
