// The files that the client loads.

import { type Assets, assetsOf } from '../../http/server/asset-files.ts'
import { signInAssets } from '../sign-in/routes.ts'

const scripts = [
  new URL('./assets/writing/actions.ts', import.meta.url),
  new URL('./assets/page/api.ts', import.meta.url),
  new URL('./assets/app.ts', import.meta.url),
  new URL('./assets/notifications/bell.ts', import.meta.url),
  new URL('./assets/page/cover.ts', import.meta.url),
  new URL('./assets/page/dom.ts', import.meta.url),
  new URL('./assets/posts/embeds.ts', import.meta.url),
  new URL('./assets/page/endless.ts', import.meta.url),
  new URL('./assets/timeline/feeds.ts', import.meta.url),
  new URL('./assets/timeline/gaps.ts', import.meta.url),
  new URL('./assets/notifications/groups.ts', import.meta.url),
  new URL('./assets/people/moderation.js', import.meta.url),
  new URL('./assets/page/marks.ts', import.meta.url),
  new URL('./assets/notifications/notifications.ts', import.meta.url),
  new URL('./assets/page/locale.ts', import.meta.url),
  new URL('./assets/page/offline.ts', import.meta.url),
  new URL('./assets/people/people.ts', import.meta.url),
  new URL('./assets/page/problems.ts', import.meta.url),
  new URL('./assets/timeline/place.ts', import.meta.url),
  new URL('./assets/timeline/position-keeper.ts', import.meta.url),
  new URL('./assets/posts/post.ts', import.meta.url),
  new URL('./assets/people/preferences.ts', import.meta.url),
  new URL('./assets/profile.ts', import.meta.url),
  new URL('./assets/notifications/push.ts', import.meta.url),
  new URL('./assets/writing/records.ts', import.meta.url),
  new URL('./assets/writing/writer.ts', import.meta.url),
  new URL('./assets/posts/rich-text.ts', import.meta.url),
  new URL('./assets/timeline/rows.ts', import.meta.url),
  new URL('./assets/timeline/state.ts', import.meta.url),
  new URL('./assets/posts/thread.ts', import.meta.url),
  new URL('./assets/timeline/timeline.ts', import.meta.url),
  new URL('./assets/page/toast.ts', import.meta.url),
  new URL('./assets/timeline/tuner.ts', import.meta.url),
  new URL('./assets/posts/video.ts', import.meta.url),
  new URL('./assets/page/view.ts', import.meta.url),
  new URL('./assets/page/words.ts', import.meta.url),
]
/** Loaded once a page is shown. */
const writing = [
  new URL('./assets/writing/compose.ts', import.meta.url),
  new URL('./assets/writing/deletions.ts', import.meta.url),
  new URL('./assets/writing/drafts.ts', import.meta.url),
  new URL('./assets/writing/facets.ts', import.meta.url),
  new URL('./assets/writing/picture-store.ts', import.meta.url),
  new URL('./assets/writing/pictures.ts', import.meta.url),
  new URL('./assets/writing/words.ts', import.meta.url),
]
/** Loaded for whoever is not signed in, which a server that is away must not prevent. */
const entering = [
  new URL('./assets/enter/view.ts', import.meta.url),
  new URL('./assets/enter/words.ts', import.meta.url),
]
/** Loaded when they are needed, or by the browser itself. */
const others = [
  ...writing,
  ...entering,
  new URL('./assets/for-you/view.ts', import.meta.url),
  new URL('./assets/for-you/words.ts', import.meta.url),
  new URL('./assets/lists.ts', import.meta.url),
  new URL('./assets/settings/settings.ts', import.meta.url),
  new URL('./assets/notifications/push-choices.ts', import.meta.url),
  new URL('./assets/notifications/quiet-hours.ts', import.meta.url),
  new URL('./assets/settings/bring.ts', import.meta.url),
  new URL('./assets/settings/words.ts', import.meta.url),
  new URL('./assets/posts/hls.js', import.meta.url),
  new URL('./assets/icon.svg', import.meta.url),
  new URL('./assets/read.css', import.meta.url),
  new URL('./assets/why/view.ts', import.meta.url),
  new URL('./assets/why/words.ts', import.meta.url),
  new URL('./assets/worker.ts', import.meta.url),
]

export const readAssets: () => Assets = assetsOf(() => ({
  path: '/read/assets',
  files: new Map([...scripts, ...others].map((url) => [nameOf(url), url])),
  imports: {
    '../../sign-in/assets/': signInAssets().pathOf(''),
    '../../../sign-in/assets/': signInAssets().pathOf(''),
  },
}))

/** Scripts that the first page needs. */
export function firstScripts(): string[] {
  return scripts.map(nameOf)
}

/** Those that a page needs when its server is away, too. */
export function scriptsToRetain(): string[] {
  return [...scripts, ...writing, ...entering].map(nameOf)
}

/** With the room, if the file is in one. */
function nameOf(url: URL): string {
  return url.pathname.split('/assets/').at(-1)!
}
