// What the doctor says of the settings, the disk and the memory for pictures and videos.

import { describe, expect, it } from 'vitest'
import { examineConfig } from '../../../src/base/config/config.ts'
import { aboutCaches } from '../../../src/features/media/doctor/disk.ts'
import { checkMediaSettings } from '../../../src/features/media/doctor/settings.ts'
import { mediaBytes } from '../../../src/features/media/tools.ts'
import type { DoctorContext } from '../../../src/tools/doctor/context.ts'

const GB = 1e9

function settingsOf(env: Record<string, string>) {
  const set = Object.fromEntries(Object.entries(env).map(([k, v]) => [`SLIPSTREAM_${k}`, v]))
  const { config } = examineConfig(set, '/nowhere')
  return checkMediaSettings({ config } as DoctorContext)
}

describe('settings', () => {
  const mistakes: [string, Record<string, string>, string, RegExp, RegExp][] = [
    [
      'lower qualities without our own videos',
      { VIDEO_LOWER_QUALITIES: '360' },
      'wrong',
      /none are made/,
      /VIDEOS=own/,
    ],
    [
      'pins without our own videos',
      { MEDIA_PIN: 'members' },
      'wrong',
      /nothing is pinned/,
      /VIDEOS=own/,
    ],
    ['a missing trailer', { VIDEO_TRAILER: '/nowhere.mp4' }, 'wrong', /ENOENT/, /Name an MP4/],
    [
      'a small cache',
      { VIDEOS: 'own', IMAGE_CACHE_MB: '64' },
      'notice',
      /cache of 64 MB/,
      /IMAGE_CACHE_MB=2048/,
    ],
  ]
  it.each(mistakes)('finds %s', (_name, env, level, text, fix) => {
    expect(settingsOf(env)).toEqual([
      { level, text: expect.stringMatching(text), fix: expect.stringMatching(fix) },
    ])
  })

  it('finds nothing wrong with the defaults', () => expect(settingsOf({})).toEqual([]))
})

describe('disk', () => {
  it('warns if the cache does not fit', () => {
    expect(aboutCaches({ freeBytes: 10 * GB, cacheBytes: 20 * GB })).toMatchObject([
      { level: 'wrong', fix: expect.stringMatching(/5000 or less/) },
    ])
    expect(aboutCaches({ freeBytes: 10 * GB, cacheBytes: 5 * GB })).toEqual([])
  })
})

describe('memory', () => {
  it('is needed for our own media, for each serving thread', () => {
    const cdn = { images: 'cdn', videos: 'cdn', serveThreads: 2 } as const
    expect([mediaBytes(cdn), mediaBytes({ ...cdn, videos: 'own' })]).toEqual([0, GB])
  })
})
