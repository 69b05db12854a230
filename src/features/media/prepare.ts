import type { Config } from '../../base/config/config.ts'
import { mediaConfig } from './media-config.ts'
import { checkTrailer } from './trailer/check-trailer.ts'

/** @throws ConfigError if players cannot continue with the trailer. */
export function prepare(config: Config): void {
  const { videoTrailer } = mediaConfig(config)
  if (videoTrailer) checkTrailer(videoTrailer)
}
