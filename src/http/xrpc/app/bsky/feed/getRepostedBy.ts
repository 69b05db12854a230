import { echoed, isUnheld, NOTHING, namedSubject } from '../../../engagement-method.ts'
import { pagedMethod } from '../../../paged-method.ts'
import { notBlocked, profiles } from '../../../present.ts'

export const getRepostedBy = pagedMethod(
  'app.bsky.feed.getRepostedBy',
  { auth: 'optional' },
  {
    about: namedSubject,
    skeleton: ({ engagement }, { about: { id }, place }) =>
      id === 0 ? NOTHING : engagement.reposters({ post: id, ...place }),
    present: profiles({ keep: notBlocked }),
    halfIsEnough: true,
    isUnknown: isUnheld,
    body: (repostedBy, { call, cursor }) => ({ ...echoed(call), repostedBy, cursor }),
  },
)
