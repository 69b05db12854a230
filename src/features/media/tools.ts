// What the command line shows and checks of pictures and videos.

import type { Config } from '../../base/config/config.ts'
import type { ToolsFeature } from '../../tools/feature.ts'
import { MEDIA_MEMORY_BYTES } from './process/memory-limit.ts'
import { mediaReport } from './report.ts'
import { mediaLines } from './stats-lines.ts'

export const tools: ToolsFeature = {
  report: mediaReport,
  statsLines: mediaLines,
  processBytes: mediaBytes,
  // Imported late: they load slowly, and other commands don't need them.
  checks: [
    {
      area: 'settings',
      run: async (doctor) => (await import('./doctor/settings.ts')).checkMediaSettings(doctor),
    },
    {
      area: 'software',
      run: async (doctor) => (await import('./doctor/software.ts')).checkDecoders(doctor),
    },
    {
      area: 'disk',
      run: async (doctor) => (await import('./doctor/disk.ts')).checkCaches(doctor),
    },
  ],
}

/** What the processes that decode pictures and videos may take. */
export function mediaBytes({
  images,
  videos,
  serveThreads,
}: Pick<Config, 'images' | 'videos' | 'serveThreads'>): number {
  return images === 'own' || videos !== 'cdn' ? serveThreads * MEDIA_MEMORY_BYTES : 0
}
