// The files that the client loads.

import { type Assets, assetsOf } from '../../http/html/asset-files.ts'
import { signInAssets } from '../sign-in/routes.ts'

const scripts = [
  new URL('./assets/actions.ts', import.meta.url),
  new URL('./assets/api.ts', import.meta.url),
  new URL('./assets/app.ts', import.meta.url),
  new URL('./assets/compose.ts', import.meta.url),
  new URL('./assets/cover.ts', import.meta.url),
  new URL('./assets/dom.ts', import.meta.url),
  new URL('./assets/drafts.ts', import.meta.url),
  new URL('./assets/embeds.ts', import.meta.url),
  new URL('./assets/endless.ts', import.meta.url),
  new URL('./assets/enter.ts', import.meta.url),
  new URL('./assets/facets.ts', import.meta.url),
  new URL('./assets/feeds.ts', import.meta.url),
  new URL('./assets/gaps.ts', import.meta.url),
  new URL('./assets/groups.ts', import.meta.url),
  new URL('./assets/moderation.js', import.meta.url),
  new URL('./assets/notifications.ts', import.meta.url),
  new URL('./assets/offline.ts', import.meta.url),
  new URL('./assets/people.ts', import.meta.url),
  new URL('./assets/pictures.ts', import.meta.url),
  new URL('./assets/place.ts', import.meta.url),
  new URL('./assets/position-keeper.ts', import.meta.url),
  new URL('./assets/post.ts', import.meta.url),
  new URL('./assets/preferences.ts', import.meta.url),
  new URL('./assets/profile.ts', import.meta.url),
  new URL('./assets/push.ts', import.meta.url),
  new URL('./assets/records.ts', import.meta.url),
  new URL('./assets/rich-text.ts', import.meta.url),
  new URL('./assets/rows.ts', import.meta.url),
  new URL('./assets/state.ts', import.meta.url),
  new URL('./assets/thread.ts', import.meta.url),
  new URL('./assets/timeline.ts', import.meta.url),
  new URL('./assets/toast.ts', import.meta.url),
  new URL('./assets/tuner.ts', import.meta.url),
  new URL('./assets/video.ts', import.meta.url),
  new URL('./assets/view.ts', import.meta.url),
  new URL('./assets/words.ts', import.meta.url),
]
/** Loaded when they are needed, or by the browser itself. */
const others = [
  new URL('./assets/for-you/view.ts', import.meta.url),
  new URL('./assets/for-you/words.ts', import.meta.url),
  new URL('./assets/lists.ts', import.meta.url),
  new URL('./assets/settings.ts', import.meta.url),
  new URL('./assets/quiet-hours.ts', import.meta.url),
  new URL('./assets/bring.ts', import.meta.url),
  new URL('./assets/hls.js', import.meta.url),
  new URL('./assets/icon.svg', import.meta.url),
  new URL('./assets/read.css', import.meta.url),
  new URL('./assets/worker.ts', import.meta.url),
]

export const readAssets: () => Assets = assetsOf(() => ({
  path: '/read/assets',
  files: new Map([...scripts, ...others].map((url) => [nameOf(url), url])),
  imports: { '../../sign-in/assets/': signInAssets().pathOf('') },
}))

/** Scripts that the first page needs. */
export function firstScripts(): string[] {
  return scripts.map(nameOf)
}

/** With the room, if the file is in one. */
function nameOf(url: URL): string {
  return url.pathname.split('/assets/').at(-1)!
}
