import type { FeatureReport, ReportContext } from '../../http/operator/feature-report.ts'
import { mediaConfig } from './media-config.ts'
import { pinnedMedia } from './pins/pinned-media.ts'
import { videosWatched } from './watches/videos-watched.ts'

/** What the operator's report says of pictures and videos. */
export async function mediaReport({ db, config }: ReportContext): Promise<FeatureReport> {
  return {
    facts: { videosWatched: videosWatched(db) },
    status: { pinned: await pinnedMedia(mediaConfig(config)) },
  }
}
