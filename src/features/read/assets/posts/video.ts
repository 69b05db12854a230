// A video in its place. Browsers without streaming (HLS) of their own get hls.js, when one is played; captions
// are tracks of the playlist.

import type { AppBskyEmbedVideo } from '@atproto/api'
import { language } from '../../../sign-in/assets/language.ts'
import { ask } from '../page/api.ts'
import { el, isWebAddress } from '../page/dom.ts'
import { t } from '../page/words.ts'

const HLS = 'application/vnd.apple.mpegurl'
type Day = { date: string; seconds: number; sessions: number }

export function videoPlayer(view: AppBskyEmbedVideo.View, isOwn: boolean): HTMLElement {
  const { playlist, thumbnail, alt, aspectRatio } = view
  if (!isWebAddress(playlist)) return el('p', { class: 'gone' }, t('gone'))
  const poster = thumbnail && isWebAddress(thumbnail) ? thumbnail : undefined
  const video = el('video', {
    controls: true,
    playsinline: true,
    preload: 'none',
    poster,
    'aria-label': alt || t('video'),
    width: aspectRatio?.width,
    height: aspectRatio?.height,
  })
  let isReady = false
  const start = () => {
    if (isReady) return
    isReady = true
    void stream(video, playlist)
  }
  video.addEventListener('play', start)
  video.addEventListener('pointerdown', start)
  video.addEventListener('keydown', start)
  // Without a source, a player's button does nothing: the first press loads and plays.
  const play = el(
    'button',
    {
      type: 'button',
      class: 'play',
      'aria-label': t('video'),
      onclick: () => {
        start()
        play.remove()
        video.play().catch(() => {})
        video.focus()
      },
    },
    '▶',
  )
  return el(
    'figure',
    { class: 'video' },
    video,
    play,
    alt && el('figcaption', { dir: 'auto' }, alt),
    isOwn && stats(view),
  )
}

async function stream(video: HTMLVideoElement, playlist: string): Promise<void> {
  if (!('MediaSource' in globalThis) || isNative(video)) {
    video.src = playlist
    return
  }
  const { default: Hls } = await import('./hls.js')
  if (!Hls.isSupported()) {
    video.src = playlist
    return
  }
  // A worker would be made from a text, which the page's policy forbids.
  const hls = new Hls({ enableWorker: false, capLevelToPlayerSize: true, maxBufferLength: 20 })
  hls.on(Hls.Events.SUBTITLE_TRACKS_UPDATED, (_, { subtitleTracks }) => {
    const wanted = subtitleTracks.findIndex(({ lang }) => lang?.startsWith(language()))
    // hls.js chooses none right after this event.
    queueMicrotask(() => {
      hls.subtitleTrack = wanted >= 0 ? wanted : subtitleTracks.length > 0 ? 0 : -1
    })
  })
  hls.loadSource(playlist)
  hls.attachMedia(video)
}

/** Safari's own shows captions; others that say "maybe" know no caption tracks in playlists. */
function isNative(video: HTMLVideoElement): boolean {
  return /apple/i.test(navigator.vendor) && video.canPlayType(HLS) !== ''
}

/** How often own videos were watched, and where viewers stop; nobody else sees it. */
function stats({ playlist }: AppBskyEmbedVideo.View): HTMLElement {
  const position = el('p', { class: 'aside' })
  position.dataset['playlist'] = playlist
  return position
}

/** Fills in what `stats` left open, once the post's URI is known. */
export async function showStats(root: HTMLElement, uri: string): Promise<void> {
  const position = root.querySelector<HTMLElement>('[data-playlist]')
  if (!position) return
  const found = await ask<{ stats: Day[] }>('io.slipstream.video.getStats', {
    uri,
    limit: 100,
  }).catch(() => undefined)
  const days = found?.stats ?? []
  const sum = (field: 'seconds' | 'sessions') => days.reduce((all, day) => all + day[field], 0)
  const [seconds, sessions] = [sum('seconds'), sum('sessions')]
  if (sessions === 0) return
  position.textContent = t('videoStats', {
    sessions,
    minutes: Math.round(seconds / 6) / 10,
    stop: Math.round(seconds / sessions),
  })
}
